"""Features of links: mentions to entities spoken of before or to a new one, values to entities."""

from __future__ import annotations

from functools import lru_cache
from itertools import repeat
from math import log1p
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS
from duologue.challenges.mobilecs.systems.extractor.linked_entity import of_others, of_role

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    found[:-1, _OF_MENTION:-_OF_NEW] = np.array(links, dtype=np.float32).reshape(len(links), _OF_LINK)
    found[-1, -_OF_NEW:] = _new(links, state)
    return found


def _of_mention(part: FoundPart) -> list[float]:
    return [
        float(part.pointing),
        min(len(part.text), 12) / 6,
        float(bool(part.numbers)),
        float(part.role == "user"),
        float(len(part.text) <= 1),
        *_one_of(len(ENTITY_TYPES), part.kind),
    ]


def _one_of(size: int, place: int) -> list[float]:
    """Return zeros with a 1 at a place."""
    found = [0.0] * size
    found[place] = 1.0
    return found


def _links(part: FoundPart, state: LinkHypothesis) -> list[list[float]]:
    """Return the features of a mention with each entity."""
    ranks = _ranks(state.entities)
    speaker, other = of_role(state.by_role, part.role), of_others(state.by_role, part.role)
    goes_on = state.last if state.last_turn == part.span.turn else -1
    return [
        [
            *_alike(part, entity),
            float(speaker == number),
            float(other == number),
            float(goes_on == number),
            log1p(part.span.turn - entity.turn),
            float(entity.mentions == 1),
            float(bool(entity.slots)),
            *_one_of(_LATEST, min(rank, _LATEST - 1)),
        ]
        for number, (entity, rank) in enumerate(zip(state.entities, ranks, strict=True))
    ]


def _alike(part: FoundPart, entity: LinkedEntity) -> list[float]:
    """Return how alike a mention and an entity are; the first five tell how alike the names are."""
    own, known = signs_of_its_own(part.text), [signs_of_its_own(name) for name in entity.names]
    others = frozenset().union(*known)
    shared = bool(part.numbers & entity.numbers)
    return [
        float(part.text in entity.names),
        max(map(_overlap, repeat(signs_of(part.text)), map(signs_of, entity.names))),
        float(any(part.text in name for name in entity.names)),
        float(any(name in part.text for name in entity.names)),
        max(map(_overlap, repeat(own), known), default=0.0) if own else 0.0,
        float(bool(own) and own <= others),
        float(bool(own) and bool(others) and not own & others),
        float(bool(own - others) and bool(own & others)),
        float(not own),
        float(part.text == entity.names[-1]),
        float(shared),
        float(bool(part.numbers) and bool(entity.numbers) and not shared),
        float(bool(part.numbers) and not entity.numbers),
        entity.agreement(part.kinds),
    ]


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
    best = [max((link[place] for link in links), default=0.0) for place in range(_BEST)]
    return [1.0, *best, log1p(len(state.entities)), float(not state.entities)]


def value_features(
    part: FoundPart, slot: int, state: LinkHypothesis, nearby: Sequence[tuple[FoundPart, int]]
) -> NDArray[np.float32]:
    """Return the features of a value with each entity (c, f), given the mentions of its utterance with theirs."""
    ranks = _ranks(state.entities)
    speaker, other = of_role(state.by_role, part.role), of_others(state.by_role, part.role)
    giver, other_giver = of_role(state.valued, part.role), of_others(state.valued, part.role)
    goes_on = state.last if state.last_turn == part.span.turn else -1
    around = {owner for one, owner in nearby if one.start <= part.start and part.end <= one.end}
    beside = {owner for _, owner in nearby}
    before = max((one for one in nearby if one[0].start <= part.start), key=lambda one: one[0].start, default=None)
    after = min((one for one in nearby if one[0].start > part.start), key=lambda one: one[0].start, default=None)
    rows = []
    for number, entity in enumerate(state.entities):
        same_slot = [text for known, text in entity.slots if known == slot]
        rows.append(
            [
                float(number in around),
                *_beside(before, number, part),
                *_beside(after, number, part),
                float(number in beside),
                float(state.last == number),
                float(goes_on == number),
                float(speaker == number),
                float(other == number),
                float(giver == number),
                float(other_giver == number),
                float(bool(same_slot)),
                float(part.text in same_slot),
                float(bool(part.numbers & entity.numbers)),
                log1p(max(0, part.span.turn - entity.turn)),
                log1p(max(0, part.span.turn - entity.mentioned)),
                float(part.span.turn - entity.mentioned == 1),
                log1p(entity.mentions),
                log1p(len(entity.slots)),
                *_one_of(_LATEST, min(ranks[number], _LATEST - 1)),
                *_one_of(len(ENTITY_TYPES), entity.kinds.index(max(entity.kinds))),
            ]
        )
    found = np.empty((len(rows), VALUE_SIZE), dtype=np.float32)
    found[:, :_OF_VALUE] = [
        *_one_of(len(SERVICE_SLOTS), slot),
        float(part.role == "user"),
        min(len(part.text), 20) / 10,
    ]
    found[:, _OF_VALUE:] = np.array(rows, dtype=np.float32).reshape(len(rows), _OF_OWNER)
    return found


def _beside(one: tuple[FoundPart, int] | None, number: int, part: FoundPart) -> tuple[float, float]:
    """Return whether the nearest mention on a side is of the entity, and how near it is."""
    if one is None or one[1] != number:
        return 0.0, 0.0
    gap = part.start - one[0].end if one[0].start <= part.start else one[0].start - part.end
    return 1.0, 1 / (1 + max(0, gap))


def _ranks(entities: Sequence[LinkedEntity]) -> list[int]:
    """Return the rank of each entity by recency, 0 for the one spoken of last."""
    order = sorted(range(len(entities)), key=lambda number: -entities[number].touched)
    ranks = [0] * len(entities)
    for rank, number in enumerate(order):
        ranks[number] = rank
    return ranks
