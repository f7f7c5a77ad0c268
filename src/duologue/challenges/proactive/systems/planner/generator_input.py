"""What the reply generator reads of a dialogue state: tokens, each with the kind of its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.systems.planner.slots import TOPICS, base_slot
from duologue.challenges.proactive.systems.planner.state import LATEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from duologue.challenges.proactive.systems.planner.numbered_slots import NumberedSlots
    from duologue.challenges.proactive.systems.planner.slots import SlotValue, Tokens
    from duologue.challenges.proactive.systems.planner.state import PlannerState

_GOAL, _FRESH_SLOT, _SAID_SLOT, _FRESH_WORD, _SAID_WORD, *_UTTERANCES = range(8)
KINDS = 8
"""How many kinds of places there are: goal, slots and words of values, each said or not, and three utterances."""
_TOPIC, _CLAUSE, _VALUE, _UTTERANCE = 4, 8, 6, 24  # first words of each that are read
_LONGEST = 220  # tokens


class StateTokens(NamedTuple):
    """A state as tokens."""

    tokens: Tokens
    kinds: tuple[int, ...]
    """One for each token."""


def generator_source(state: PlannerState, slots: NumberedSlots) -> StateTokens:
    """Return a state as tokens: place in the plan, relations, values with their first words, the last utterances."""
    found = list(_told(state, slots))[:_LONGEST]
    return StateTokens(tuple(token for token, _ in found), tuple(kind for _, kind in found))


def _told(state: PlannerState, slots: NumberedSlots) -> Iterator[tuple[str, int]]:
    turn, (a, b) = min(state.turn, LATEST), state.reached
    yield from _all((f"J{turn}", f"S{a:d}{b:d}", f"D{state.domains}"), _GOAL)
    yield from _all((f"R:{relation}" for relation in state.relations), _GOAL)
    in_clauses = {base_slot(value.slot) for value in state.values if "#" in value.slot}
    for value in state.values:
        name = slots.name(value)
        if name is not None:
            said = value.slot not in TOPICS and "".join(value.words) in state.said
            yield name, _SAID_SLOT if said else _FRESH_SLOT
            yield from _all(_first_words(value, in_clauses), _SAID_WORD if said else _FRESH_WORD)
    for kind, line in zip(_UTTERANCES, reversed(state.history), strict=False):
        yield from _all(line[-_UTTERANCE:], kind)


def _first_words(value: SlotValue, in_clauses: set[str]) -> Tokens:
    """Return the words of a value that are read; none of a long one whose clauses are values of their own."""
    if value.slot in TOPICS:
        return value.words[:_TOPIC]
    if "@" in value.slot:
        return ()
    if "#" in value.slot:
        return value.words[:_CLAUSE]
    return value.words[:_VALUE] if value.slot not in in_clauses or len(value.words) <= _TOPIC else ()


def _all(tokens: Iterable[str], kind: int) -> Iterator[tuple[str, int]]:
    return ((token, kind) for token in tokens)
