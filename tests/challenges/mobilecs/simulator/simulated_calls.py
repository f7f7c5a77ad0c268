"""Made-up bases with goals, and agents of different worth, for tests of the simulated user."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.intents import acts_of
from duologue.challenges.mobilecs.simulator.call_generator import CallGenerator
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
from duologue.challenges.mobilecs.simulator.requests import requests_of
from duologue.challenges.mobilecs.simulator.staff_turn import piece_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.challenges.mobilecs.simulator.agenda_user import AgendaUser, UserStep

    Agent = Callable[[str, dict[str, Any]], tuple[str, str | None]]
    """Returns reply and intent for the user's intent and the base."""


@cache
def calls() -> tuple[dict[str, Any], ...]:
    """Return generated track 2 dialogues with something to answer."""
    generator = CallGenerator(CallCorpusRecipe(argument_rate=0.5), 5)
    made = [row for number in range(60) for row in generator.call("train", number).track2]
    return tuple(row for row in made if any(one.values for one in requests_of(row["goal"], row["KB"])))


def perfect_in_text(intent: str, base: dict[str, Any]) -> tuple[str, str | None]:
    """Say the base's values of what is asked for."""
    said = [piece_of(argument, base) for act in acts_of(intent, "user") for argument in act.args]
    return "，".join(filter(None, said)) or "您请讲", None


def perfect_in_acts(intent: str, base: dict[str, Any]) -> tuple[str, str | None]:
    """Inform of what is asked for, as far as the base has it."""
    asked = [argument for act in acts_of(intent, "user") for argument in act.args if piece_of(argument, base)]
    return "", "通知" + "".join(f"({one})" for one in asked)


def played(user: AgendaUser, row: dict[str, Any], agent: Agent, seed: int = 1) -> list[UserStep]:
    """Return the steps of a whole dialogue."""
    user.reset(row["goal"], row["KB"], seed)
    _, intent = user.first_utterance()
    steps: list[UserStep] = []
    while not steps or not steps[-1].done:
        reply, act = agent(intent, row["KB"])
        steps.append(user.step(reply, act))
        intent = steps[-1].intent
    return steps
