"""Alignment of the pipeline: each value goes to an entity mentioned at or before it, or to the user (section 7).

The published program reads the text from the mention to the value with a BERT; here vectors of both, the slot and
the distance are judged.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import USER
from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import CandidateList
from duologue.challenges.mobilecs.systems.tagger.label_layer import ALL_VALUES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import FeedForward
    from duologue.challenges.mobilecs.systems.extractor_pipeline.tagged_call import FoundSpan

_SLOTS = {slot: number for number, slot in enumerate(ALL_VALUES.kinds)}
_DISTANCES = 4


class MentionedEntities(NamedTuple):
    """Mentions of a call with the entity of each, and where its utterances begin."""

    mentions: Sequence[FoundSpan]
    entities: Sequence[str]
    starts: NDArray[np.int64]


def pair_size(width: int) -> int:
    """Return the number of features of a value with a candidate, for vectors of a width."""
    return 3 * width + len(_SLOTS) + _DISTANCES


def owner_lists(
    values: Sequence[FoundSpan], owners: Sequence[str], call: MentionedEntities, reach: int
) -> Iterator[CandidateList]:
    """Yield the decision of each value, its owner known (an entity or `USER`)."""
    by_turn = _by_turn(call)
    for value, owner in zip(values, owners, strict=True):
        names, features = _candidates(value, call, by_turn, reach)
        yield CandidateList(features, np.array([name == owner for name in names], dtype=np.float32))


def owners_of(values: Sequence[FoundSpan], call: MentionedEntities, reach: int, scorer: FeedForward) -> list[str]:
    """Return the best owner of each value."""
    found = []
    by_turn = _by_turn(call)
    for value in values:
        names, features = _candidates(value, call, by_turn, reach)
        found.append(names[int(scorer.scores(features).argmax())])
    return found


def _by_turn(call: MentionedEntities) -> dict[int, list[int]]:
    """Return the places of the mentions of each utterance."""
    found: dict[int, list[int]] = {}
    for place, mention in enumerate(call.mentions):
        found.setdefault(mention.span.turn, []).append(place)
    return found


def _in_reach(turn: int, call: MentionedEntities, by_turn: Mapping[int, Sequence[int]], reach: int) -> list[int]:
    """Return the places of the mentions from which a text within reach goes on to the end of an utterance."""
    first = turn
    while first >= 0 and call.starts[turn + 1] - call.starts[first] <= reach:
        first -= 1
    return sorted(place for one in range(first + 1, turn + 1) for place in by_turn.get(one, ()))


def _candidates(
    value: FoundSpan, call: MentionedEntities, by_turn: Mapping[int, Sequence[int]], reach: int
) -> tuple[list[str], NDArray[np.float32]]:
    """Return the user and the entities with a mention at or before the value's utterance, with features (c, f)."""
    turn = value.span.turn
    nearest: dict[str, int] = {}
    for place in _in_reach(turn, call, by_turn, reach):
        entity = call.entities[place]
        nearest[entity] = max(nearest.get(entity, 0), call.mentions[place].span.turn)
    width = len(value.vector)
    features = np.zeros((1 + len(nearest), pair_size(width)), dtype=np.float32)
    features[:, :width] = value.vector
    if value.label in _SLOTS:
        features[:, 3 * width + _SLOTS[value.label]] = 1
    distances = features[:, -_DISTANCES:]
    distances[0, 0] = 1
    for row, (entity, utterance) in enumerate(nearest.items(), 1):
        here = [call.mentions[place] for place in by_turn[utterance] if call.entities[place] == entity]
        vector = np.mean([mention.vector for mention in here], axis=0)
        features[row, width : 2 * width] = vector
        features[row, 2 * width : 3 * width] = vector * value.vector
        gap = min(abs(mention.start - value.start) for mention in here)
        distances[row, 1:] = utterance == turn, math.log1p(turn - utterance), math.log1p(gap)
    return [USER, *nearest], features
