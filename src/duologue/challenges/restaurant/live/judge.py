"""Judge of simulated bookings: the table, the calls, phone and address, and how many turns it took.

A dialogue is gone through once more with the simulated user, which is the same for the same seed. All is counted per
dialogue, so dialogues are what intervals leave out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.restaurant.knowledge.api_calls import parse_call
from duologue.challenges.restaurant.knowledge.domain_base import domain_of
from duologue.challenges.restaurant.schema.task_info import INFO
from duologue.challenges.restaurant.simulator.booking_user import BookingUser
from duologue.core.records import Problem
from duologue.core.rng import Rng
from duologue.metrics.conversation_report import conversation_report
from duologue.metrics.formulas import Ratio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.restaurant.simulator.booking_user import BookingGoal
    from duologue.challenges.restaurant.simulator.dialogue_generator import DialogueGenerator
    from duologue.core.records import Dialogue, Report
    from duologue.knowledge.base import KnowledgeBase


class BookingSet(NamedTuple):
    """The bookings of one stage."""

    goals: Mapping[str, BookingGoal]
    """By the id of their dialogue."""
    generator: DialogueGenerator
    base: KnowledgeBase
    seed: int
    items: Mapping[str, Mapping[str, str]]
    """Restaurant to its phone and address."""


BOOKING_METRICS = (
    Ratio("success", "successes", "dialogues"),
    Ratio("tables-as-wanted", "tables", "dialogues"),
    Ratio("calls-as-wanted", "right calls", "calls"),
    Ratio("items-told", "told", "items"),
    Ratio("turns", "replies", "dialogues", percent=False, lowest=0, higher_is_better=False),
)
"""Metrics of a conversation, whoever the user is, in display order."""


def formulas() -> tuple[Ratio, ...]:
    """Return the metrics of a conversation report in display order."""
    return (*BOOKING_METRICS, Ratio("unclear-replies", "unclear", "replies", higher_is_better=False))


def new_user(bookings: BookingSet, name: str) -> BookingUser:
    """Return the user of a dialogue at its beginning."""
    return BookingUser(bookings.goals[name], bookings.generator, bookings.items, Rng(bookings.seed, name, "user"))


def counted(dialogue: Dialogue, bookings: BookingSet) -> dict[str, float]:
    """Return the counts of one finished dialogue by name.

    A call is right when it asks for exactly what the user has come to want by then; the table is when the restaurant
    taken has all that the user wanted in the end. Success is that table with all items told that were to be asked for.
    """
    goal, base = bookings.goals[dialogue.id], bookings.base
    user = new_user(bookings, dialogue.id)
    user.first_utterance()
    heard: str | None = None
    calls = right = replies = 0
    for turn in dialogue.turns[1:]:
        if turn.speaker == "system":
            replies += 1
            call = parse_call(turn.text, base)
            heard = turn.text if call is None else None
            if call is not None:
                calls += 1
                right += not call.unknown and call.conditions == user.wanted
        elif turn.speaker == "user":
            user.step(heard)
            heard = None
    if dialogue.turns and dialogue.turns[-1].speaker == "system":  # it was cut, or the user left without a word
        user.step(heard)
    table = user.chosen is not None and user.chosen in base.find(goal.final)
    return {
        "dialogues": 1,
        "successes": table and len(user.told) == len(goal.items),
        "tables": table,
        "calls": calls,
        "right calls": right,
        "items": len(goal.items),
        "told": len(user.told),
        "replies": replies,
        "unclear": user.unclear,
    }


def judge(dialogues: Sequence[Dialogue], bookings: BookingSet, *, base_hash: str) -> Report:
    """Return the report on finished dialogues with 95 % intervals over dialogues; a failed one is a warning.

    Raises `UsageError` without dialogues.
    """
    found = {one.id: counted(one, bookings) for one in dialogues}
    return booking_report(found, formulas(), bookings, base_hash=base_hash)


def booking_report(
    found: Mapping[str, Mapping[str, float]],
    metrics: Sequence[Ratio],
    bookings: BookingSet,
    *,
    base_hash: str,
    options: Sequence[str] = (),
    problems: Sequence[Problem] = (),
) -> Report:
    """Return the report on the counts of dialogues, by their names, with a warning for each without success.

    `options` and `problems` are more of them. Raises `UsageError` without dialogues.
    """
    thing = domain_of(bookings.base).thing
    failed = [
        Problem(rule="booking-failed", severity="warning", place=f"dialogue '{name}'", message=_failure(one, thing))
        for name, one in found.items()
        if not one["successes"]
    ]
    return conversation_report(
        INFO.name,
        list(found),
        list(found.values()),
        metrics,
        rank_by="success",
        version="v1",
        options=(f"seed {bookings.seed}", *options),
        hashes={"kb": base_hash},
        problems=[*failed, *problems],
    )


def _failure(found: Mapping[str, float], thing: str) -> str:
    """Return what was missing in a failed booking of a restaurant, or whatever thing it is."""
    if not found["tables"]:
        return f"no {thing} that has all that the user wanted was taken"
    return f"{int(found['items'] - found['told'])} of {int(found['items'])} items were not told as the base has them"
