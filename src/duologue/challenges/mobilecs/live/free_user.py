"""Simulated users who speak freely: what they say of the knowledge base before the staff does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.ontology import REQUESTED
from duologue.knowledge.leaks import leak_problem, leaks
from duologue.metrics.formulas import Ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from duologue.core.records import Dialogue, Problem
    from duologue.knowledge.leaks import Leak

_SHORTEST = 2
"""Characters of a value that says anything."""
NOTE = (
    "the user is a chat model with the official goal card; what it says of the knowledge base before the staff does, "
    "and is not on its card, is counted"
)


def formulas() -> tuple[Ratio, ...]:
    """Return the metrics of leaks."""
    return (Ratio("user-leaks", "leaks", "user utterances", higher_is_better=False),)


def found_leaks(dialogue: Dialogue, row: Mapping[str, Any]) -> list[Leak]:
    """Return the user's turns that say a value of the knowledge base which neither the goal nor the staff has told."""
    entries = [entry for entry in row["KB"].values() if isinstance(entry, dict)]
    values = [
        value
        for entry in entries
        for slot, told in entry.items()
        if slot not in {"name", "type"} and isinstance(told, str)
        for value in told.split(",")
    ]
    secrets = [one for one in values if len(one) >= _SHORTEST and one != REQUESTED]
    return leaks(dialogue.turns, secrets, told=_texts(row["goal"]))


def counted(dialogue: Dialogue, row: Mapping[str, Any]) -> dict[str, float]:
    """Return the counts of one finished dialogue by name."""
    return {
        "user utterances": sum(turn.speaker == "user" for turn in dialogue.turns),
        "leaks": len(found_leaks(dialogue, row)),
    }


def problems(dialogue: Dialogue, row: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a warning for each leak."""
    for leak in found_leaks(dialogue, row):
        yield leak_problem(dialogue, leak, "staff")


def _texts(goal: Any) -> Iterator[str]:
    """Yield all texts of a goal."""
    if isinstance(goal, dict):
        for key, value in goal.items():
            yield key
            yield from _texts(value)
    elif isinstance(goal, str):
        yield goal
