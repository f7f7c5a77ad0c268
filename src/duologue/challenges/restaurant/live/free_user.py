"""Judge of bookings with a user who speaks freely: it goes by the dialogue alone.

What the user says is read as the bot reads it: the utterances of the challenge that its words became. The restaurant
taken is the one that the bot named last when the user accepted, or the one that the user asked for by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.knowledge.api_calls import parse_call
from duologue.challenges.restaurant.live.judge import BOOKING_METRICS, booking_report
from duologue.challenges.restaurant.schema.utterance_parser import parse_utterance
from duologue.challenges.restaurant.simulator.bot_turn import read_text
from duologue.core.scenes import TYPED
from duologue.knowledge.leaks import leak_problem, leaks
from duologue.metrics.formulas import Ratio
from duologue.prompts.user_prompt import typed_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.restaurant.live.judge import BookingSet
    from duologue.core.records import Dialogue, Report, Turn
    from duologue.knowledge.leaks import Leak

NOTE = (
    "the user is a chat model with a card of the table it wants, from the first word to the last; what it types is "
    "understood as in the live bot, and restaurants, phones and addresses that it says before the bot does are counted"
)
UNCLEAR = "unclear"
"""Act of a user whose words are handed on as they are, since they are no utterance of the challenge."""
_ACCEPTS = frozenset({"accept", "take-newest", "take-repeated"})


def formulas() -> tuple[Ratio, ...]:
    """Return the metrics of a conversation report in display order."""
    return (
        *BOOKING_METRICS,
        Ratio("user-not-understood", "not understood", "user inputs", higher_is_better=False),
        Ratio("user-leaks", "leaks", "user inputs", higher_is_better=False),
    )


def found_leaks(dialogue: Dialogue, bookings: BookingSet) -> list[Leak]:
    """Return the user's turns that say a restaurant, phone or address which the bot has not said."""
    secrets = [*bookings.items, *(value for items in bookings.items.values() for value in items.values())]
    heard = [
        (place, turn)
        for place, turn in enumerate(dialogue.turns)
        if turn.speaker == "user" or parse_call(turn.text, bookings.base) is None
    ]
    found = leaks([turn for _, turn in heard], secrets, said=typed_words, form=_words_of)
    return [leak._replace(turn=heard[leak.turn][0]) for leak in found]


def counted(dialogue: Dialogue, bookings: BookingSet) -> dict[str, float]:
    """Return the counts of one finished dialogue by name.

    A call is right when it asks for exactly what the card says; success is a table that has all of it, with all items
    told that were to be asked for.
    """
    goal, base = bookings.goals[dialogue.id], bookings.base
    calls = right = replies = 0
    named, taken = "", ""
    told: set[str] = set()
    for turn in dialogue.turns:
        if turn.speaker == "user":
            read = parse_utterance(turn.text)
            taken = read.values["name"] if read.kind == "request-at" else named if read.kind in _ACCEPTS else taken
        elif turn.speaker == "system":
            replies += 1
            call = parse_call(turn.text, base)
            if call is not None:
                calls += 1
                right += not call.unknown and call.conditions == goal.final
                continue
            heard = read_text(turn.text, bookings.items)
            named = heard.names[-1] if heard.names else named
            values = bookings.items.get(taken, {})
            told |= {item for item in goal.items if item in values and heard.tells(values[item])}
    inputs = [turn for turn in dialogue.turns if turn.speaker == "user" and _has(turn, TYPED)]
    table = taken in base.find(goal.final)
    return {
        "dialogues": 1,
        "successes": table and len(told) == len(goal.items),
        "tables": table,
        "calls": calls,
        "right calls": right,
        "items": len(goal.items),
        "told": len(told),
        "replies": replies,
        "user inputs": len(inputs),
        "not understood": sum(_has(turn, UNCLEAR) for turn in inputs),
        "leaks": len(found_leaks(dialogue, bookings)),
    }


def judge(dialogues: Sequence[Dialogue], bookings: BookingSet, *, base_hash: str) -> Report:
    """Return the report on finished dialogues with 95 % intervals over dialogues; failures and leaks are warnings.

    Raises `UsageError` without dialogues.
    """
    found = {one.id: counted(one, bookings) for one in dialogues}
    leaked = [leak_problem(one, leak, "bot", typed_words) for one in dialogues for leak in found_leaks(one, bookings)]
    return booking_report(found, formulas(), bookings, base_hash=base_hash, options=("free user",), problems=leaked)


def _has(turn: Turn, name: str) -> bool:
    return turn.annotation is not None and any(act.name == name for act in turn.annotation.acts)


def _words_of(text: str) -> str:
    """Return the words of a text with a blank around each, so that a name is found with underscores or blanks."""
    return f" {' '.join(text.lower().translate(_BLANKS).split())} "


_BLANKS = str.maketrans(dict.fromkeys("_,.;:!?\"'()", " "))
