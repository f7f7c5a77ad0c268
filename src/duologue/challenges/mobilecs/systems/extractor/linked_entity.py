"""Entities of a call while it is decoded: what was said of each so far. States are shared between hypotheses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.systems.extractor.found_parts import FoundPart


class LinkedEntity(NamedTuple):
    """What is known of an entity."""

    names: tuple[str, ...] = ()
    """All different ones, the latest last."""
    numbers: frozenset[str] = frozenset()
    """Numbers in its names and values."""
    kinds: tuple[float, ...] = ()
    """Sum of the log probabilities of its mentions' types."""
    slots: tuple[tuple[int, str], ...] = ()
    """Slots with their values."""
    mentions: int = 0
    touched: int = -1
    """Number of the last part that was linked to it."""
    turn: int = 0
    """Utterance of that part."""
    mentioned: int = 0
    """Utterance of its last mention."""

    def with_mention(self, part: FoundPart, order: int) -> LinkedEntity:
        """Return the entity after a mention of it."""
        names = (*[name for name in self.names if name != part.text], part.text)
        kinds = tuple(map(float.__add__, self.kinds, part.kinds)) if self.kinds else part.kinds
        numbers, turn = self.numbers | part.numbers, part.span.turn
        return LinkedEntity(names, numbers, kinds, self.slots, self.mentions + 1, order, turn, turn)

    def with_value(self, part: FoundPart, slot: int, order: int) -> LinkedEntity:
        """Return the entity after a value of it."""
        numbers, slots = self.numbers | part.numbers, (*self.slots, (slot, part.text))
        turn = part.span.turn
        return LinkedEntity(self.names, numbers, self.kinds, slots, self.mentions, order, turn, self.mentioned)

    def agreement(self, kinds: tuple[float, ...]) -> float:
        """Return how likely a mention with these log probabilities of types is of the same type."""
        mentions = self.mentions
        return math.fsum([math.exp(known / mentions + kind) for known, kind in zip(self.kinds, kinds, strict=True)])


class LinkHypothesis(NamedTuple):
    """A hypothesis: entities so far, decisions, and where each speaker is."""

    entities: tuple[LinkedEntity, ...] = ()
    chosen: tuple[int, ...] = ()
    """Entity of each part decided so far; -1: none."""
    score: float = 0.0
    by_role: tuple[tuple[str, int], ...] = ()
    """Entity that each speaker spoke of last."""
    valued: tuple[tuple[str, int], ...] = ()
    """Entity that each speaker gave a value of last."""
    last: int = -1
    """Entity of the last part."""
    last_turn: int = -1
    """Its utterance."""

    def linked(self, part: FoundPart, chosen: int, score: float, slot: int | None) -> LinkHypothesis:
        """Return the hypothesis after a part was linked to an entity, a new one if there is none of that number.

        `slot` is that of a value, `None` for a mention.
        """
        order = len(self.chosen)
        if chosen < 0:
            return self._replace(chosen=(*self.chosen, chosen), score=self.score + score)
        entity = self.entities[chosen] if chosen < len(self.entities) else LinkedEntity()
        entity = entity.with_mention(part, order) if slot is None else entity.with_value(part, slot, order)
        valued = self.valued if slot is None else _with(self.valued, part.role, chosen)
        return LinkHypothesis(
            (*self.entities[:chosen], entity, *self.entities[chosen + 1 :]),
            (*self.chosen, chosen),
            self.score + score,
            _with(self.by_role, part.role, chosen),
            valued,
            chosen,
            part.span.turn,
        )


def _with(pairs: tuple[tuple[str, int], ...], role: str, entity: int) -> tuple[tuple[str, int], ...]:
    return (*[pair for pair in pairs if pair[0] != role], (role, entity))


def of_role(pairs: tuple[tuple[str, int], ...], role: str) -> int:
    """Return the entity that a speaker spoke of last; -1 if there is none."""
    for one, entity in pairs:
        if one == role:
            return entity
    return -1


def of_others(pairs: tuple[tuple[str, int], ...], role: str) -> int:
    """Return the entity that the other speaker spoke of last; -1 if there is none."""
    for one, entity in pairs:
        if one != role:
            return entity
    return -1
