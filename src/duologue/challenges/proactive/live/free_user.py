"""Simulated users who speak freely: what they say of goal and knowledge before the agent does.

A user knows neither. People know some of it from elsewhere: their figure is what a model's is to be compared with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.proactive.knowledge import usable_facts, without_spaces
from duologue.core.records import Sample
from duologue.knowledge.leaks import leak_problem, leaks
from duologue.metrics.formulas import Ratio

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.core.records import Dialogue, Problem
    from duologue.knowledge.leaks import Leak

_SHORTEST = 2
"""Characters of a value that says anything."""
NOTE = (
    "the user is a chat model that knows neither goal nor knowledge; what it says of them before the agent does is "
    "counted, and so it is of people"
)


def formulas() -> tuple[Ratio, ...]:
    """Return the metrics of leaks."""
    return (
        Ratio("goal-given-away", "goal first by user", "dialogues", higher_is_better=False),
        Ratio("user-leaks", "leaks", "user utterances", higher_is_better=False),
    )


def found_leaks(dialogue: Dialogue) -> list[Leak]:
    """Return the user's turns that name topic B or an object of the knowledge before the agent does."""
    facts = usable_facts(Sample(id="", dialogue_id="", knowledge=dialogue.knowledge, goal=dialogue.goal))
    topics = dialogue.goal.topics[1:] if dialogue.goal is not None else ()
    values = [without_spaces(value) for value in (*topics, *(one.object for one in facts))]
    return leaks(dialogue.turns, [one for one in values if len(one) >= _SHORTEST], form=without_spaces)


def counted(dialogue: Dialogue) -> dict[str, float]:
    """Return the counts of one finished dialogue by name."""
    found = found_leaks(dialogue)
    goal = without_spaces(dialogue.goal.topics[1]) if dialogue.goal is not None else ""
    return {
        "user utterances": sum(turn.speaker == "user" for turn in dialogue.turns),
        "leaks": len(found),
        "goal first by user": any(goal in one.values for one in found),
    }


def problems(dialogue: Dialogue) -> Iterator[Problem]:
    """Yield a warning for each leak."""
    for leak in found_leaks(dialogue):
        yield leak_problem(dialogue, leak, "agent")
