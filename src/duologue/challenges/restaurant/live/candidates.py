"""Candidate generation for live dialogues: everything that the bot could say next."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

from duologue.challenges.restaurant.knowledge.api_calls import call_text
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.utterance_parser import named_values
from duologue.core.records import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.challenges.restaurant.schema.templates import RequestSlot
    from duologue.challenges.restaurant.systems.solver.solver import BookingState
    from duologue.core.records import Turn
    from duologue.knowledge.base import KnowledgeBase

MENTIONS = 3
"""Number of values per slot, the latest named ones, that candidate calls combine."""
CALLS = 250
"""Maximum number of calls among the candidates; those with the latest values come first."""
_ITEMS = ("phone", "address")


def candidate_utterances(
    history: Sequence[Turn], state: BookingState, base: KnowledgeBase, slot_of: Mapping[str, str]
) -> tuple[Candidate, ...]:
    """Return all candidate utterances: fixed sentences, questions, calls, options, repeats and items.

    Calls are made of the values that the user named (`slot_of` tells the slot of each), in any combination;
    options and items are those of the restaurants that were listed, items also those of the one named. The
    sixth slot takes part once it was mentioned. The order of the candidates carries no information.
    """
    slots = state.rules.slots if state.extra else state.rules.domain.slots
    texts = [*templates.ANSWER_TYPES.values(), *(slot.question for slot in slots)]
    texts += candidate_calls(history, slots, slot_of)
    texts += [templates.BOT_OPTION.format(name=name) for name in state.ratings]
    texts += [templates.BOT_REPEAT.format(name=name) for name in dict.fromkeys(state.proposed)]
    known = dict.fromkeys([*state.ratings, *([state.chosen] if state.chosen else [])])
    texts += [
        templates.BOT_ITEM.format(value=value)
        for name in known
        for item in _ITEMS
        for value in base.objects(name, item)
    ]
    return tuple(Candidate(id=str(place), text=text) for place, text in enumerate(texts))


def candidate_calls(history: Sequence[Turn], slots: Sequence[RequestSlot], slot_of: Mapping[str, str]) -> list[str]:
    """Return the calls that the values named so far allow; none while a slot has no value yet."""
    mentions: dict[str, list[str]] = {slot.name: [] for slot in slots}
    for turn in history:
        if turn.speaker == "user":
            for slot, values in named_values(turn.text, slot_of).items():
                if slot in mentions:
                    mentions[slot] = [value for value in mentions[slot] if value not in values] + values
    latest = [mentions[slot.name][::-1][:MENTIONS] for slot in slots]
    return [call_text(values) for values in islice(_combinations(latest), CALLS)]


def _combinations(choices: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Yield one value of each choice; combinations of early (latest named) values first."""
    places = product(*(range(len(choice)) for choice in choices))
    for combination in sorted(places, key=sum):
        yield tuple(choice[place] for choice, place in zip(choices, combination, strict=True))
