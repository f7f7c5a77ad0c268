"""Features of links: mentions to entities spoken of before or to a new one, values to entities."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice, repeat
from math import log1p
from operator import contains
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS
from duologue.challenges.mobilecs.systems.extractor.linked_entity import of_others, of_role

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.extractor.found_parts import FoundPart
    from duologue.challenges.mobilecs.systems.extractor.linked_entity import LinkedEntity, LinkHypothesis

_LATEST = 4  # ranks by recency that are told apart

_OF_MENTION = 5 + len(ENTITY_TYPES)
_OF_LINK = 20 + _LATEST
_OF_NEW = 8
_BEST = 5
"""Features of a link of which a new entity knows the best ones."""
_SHARED_SIGNS = frozenset(
    "套餐流量包业务活动功能服主资费月租卡上网那个这它元块钱的兆g零一二三四五六七八九十百千万两幺半点0123456789"
)
"""Signs that names of many services have: they tell none from others."""
MENTION_SIZE = _OF_MENTION + _OF_LINK + _OF_NEW
"""Features of a mention with an entity."""
_OF_VALUE = 2 + len(SERVICE_SLOTS)
_OF_OWNER = 20 + _LATEST + len(ENTITY_TYPES)
VALUE_SIZE = _OF_VALUE + _OF_OWNER
"""Features of a value with an entity."""


def mention_features(part: FoundPart, state: LinkHypothesis) -> NDArray[np.float32]:
    """Return the features of each entity of a hypothesis, then of a new one (c, f)."""
    links = _links(part, state)
    found = np.zeros((len(links) + 1, MENTION_SIZE), dtype=np.float32)
    found[:, :_OF_MENTION] = _of_mention(part)
    if links:
        found[:-1, _OF_MENTION:-_OF_NEW] = links
    found[-1, -_OF_NEW:] = _new(links, state)
    return found


def _of_mention(part: FoundPart) -> list[float]:
    return [
        part.pointing,
        min(len(part.text), 12) / 6,
        bool(part.numbers),
        part.role == "user",
        len(part.text) <= 1,
        *_TYPE[part.kind],
    ]


def _each_of(size: int) -> list[tuple[float, ...]]:
    """Return for each place zeros with a 1 there."""
    return [tuple(row) for row in np.eye(size).tolist()]


_TYPE, _SLOT, _RECENCY = _each_of(len(ENTITY_TYPES)), _each_of(len(SERVICE_SLOTS)), _each_of(_LATEST)


def _links(part: FoundPart, state: LinkHypothesis) -> list[list[float]]:
    """Return the features of a mention with each entity."""
    signs, own = signs_of(part.text), signs_of_its_own(part.text)
    turn = part.span.turn
    speaker, other = of_role(state.by_role, part.role), of_others(state.by_role, part.role)
    goes_on = state.last if state.last_turn == turn else -1
    return [
        [
            *_alike(part, signs, own, entity),
            speaker == number,
            other == number,
            goes_on == number,
            log1p(turn - entity.turn),
            entity.mentions == 1,
            bool(entity.slots),
            *_RECENCY[rank if rank < _LATEST else -1],
        ]
        for number, (entity, rank) in enumerate(zip(state.entities, _ranks(state.entities), strict=True))
    ]


def _alike(part: FoundPart, signs: frozenset[str], own: frozenset[str], entity: LinkedEntity) -> Iterable[float]:
    """Return how alike a mention, its name of such signs, and an entity are; the first five tell it of the names."""
    text, names, numbers = part.text, entity.names, part.numbers & entity.numbers
    others = frozenset().union(*map(signs_of_its_own, names))
    both = own & others
    return (
        text in names,
        max([_overlap(signs, signs_of(name)) for name in names]),
        any(map(contains, names, repeat(text))),
        any(map(contains, repeat(text), names)),
        max([_overlap(own, signs_of_its_own(name)) for name in names]) if both else 0.0,
        bool(own) and own == both,
        bool(own) and bool(others) and not both,
        bool(both) and own != both,
        not own,
        text == names[-1],
        bool(numbers),
        bool(part.numbers) and bool(entity.numbers) and not numbers,
        bool(part.numbers) and not entity.numbers,
        entity.agreement(part.kinds),
    )


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the signs of two names, of which one has some, that both have."""
    both = len(one & other)
    return both / (len(one) + len(other) - both)


@lru_cache(4096)
def signs_of(name: str) -> frozenset[str]:
    """Return the signs of a name."""
    return frozenset(name)


@lru_cache(4096)
def signs_of_its_own(name: str) -> frozenset[str]:
    """Return the signs of a name that few others have.

    >>> sorted(signs_of_its_own("十块钱的心享流量包"))
    ['享', '心']
    """
    return frozenset(name) - _SHARED_SIGNS


def _new(links: Sequence[Sequence[float]], state: LinkHypothesis) -> list[float]:
    """Return the features of a new entity: how well those fit that there are."""
    best = [max(column) for column in islice(zip(*links, strict=True), _BEST)] if links else (0.0,) * _BEST
    return [1.0, *best, log1p(len(state.entities)), not links]


def value_features(
    part: FoundPart, slot: int, state: LinkHypothesis, nearby: Sequence[tuple[FoundPart, int]]
) -> NDArray[np.float32]:
    """Return the features of a value with each entity (c, f), given the mentions of its utterance with theirs."""
    turn = part.span.turn
    speaker, other = of_role(state.by_role, part.role), of_others(state.by_role, part.role)
    giver, other_giver = of_role(state.valued, part.role), of_others(state.valued, part.role)
    goes_on = state.last if state.last_turn == turn else -1
    around = {owner for one, owner in nearby if one.start <= part.start and part.end <= one.end}
    beside = {owner for _, owner in nearby}
    before = max((one for one in nearby if one[0].start <= part.start), key=lambda one: one[0].start, default=None)
    after = min((one for one in nearby if one[0].start > part.start), key=lambda one: one[0].start, default=None)
    rows = []
    for number, (entity, rank) in enumerate(zip(state.entities, _ranks(state.entities), strict=True)):
        same_slot = [text for known, text in entity.slots if known == slot]
        rows.append(
            [
                number in around,
                *_beside(before, number, part),
                *_beside(after, number, part),
                number in beside,
                state.last == number,
                goes_on == number,
                speaker == number,
                other == number,
                giver == number,
                other_giver == number,
                bool(same_slot),
                part.text in same_slot,
                not part.numbers.isdisjoint(entity.numbers),
                log1p(max(0, turn - entity.turn)),
                log1p(max(0, turn - entity.mentioned)),
                turn - entity.mentioned == 1,
                log1p(entity.mentions),
                log1p(len(entity.slots)),
                *_RECENCY[rank if rank < _LATEST else -1],
                *_TYPE[entity.kinds.index(max(entity.kinds))],
            ]
        )
    found = np.empty((len(rows), VALUE_SIZE), dtype=np.float32)
    found[:, :_OF_VALUE] = [*_SLOT[slot], part.role == "user", min(len(part.text), 20) / 10]
    found[:, _OF_VALUE:] = rows
    return found


def _beside(one: tuple[FoundPart, int] | None, number: int, part: FoundPart) -> tuple[float, float]:
    """Return whether the nearest mention on a side is of the entity, and how near it is."""
    if one is None or one[1] != number:
        return 0.0, 0.0
    gap = part.start - one[0].end if one[0].start <= part.start else one[0].start - part.end
    return 1.0, 1 / (1 + max(0, gap))


def _ranks(entities: Sequence[LinkedEntity]) -> list[int]:
    """Return the rank of each entity by recency, 0 for the one spoken of last."""
    touched = [entity.touched for entity in entities]
    order = sorted(range(len(entities)), key=touched.__getitem__, reverse=True)
    ranks = [0] * len(entities)
    for rank, number in enumerate(order):
        ranks[number] = rank
    return ranks
