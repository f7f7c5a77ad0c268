"""Replies that need no training: what the systems of `proactive.py` must at least be better than.

`template` says one sentence about the topic whose turn it is. `nearest` says what was said in the most similar
situation of the training sessions, with the sample's own topics and facts in the place of that session's.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import TYPE_CHECKING

from duologue.challenges.proactive.knowledge import without_spaces
from duologue.challenges.proactive.systems.matcher.candidates import CandidatePool, PooledReply, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.core.records import Example, Sample

    Vector = dict[str, float]

_SENTENCE = "是 的 ， {topic} 很 不错 的 ， 你 可以 去 看看 。"
_SECOND_FROM = 3
"""Agent turn, from 0, from which the sentence names topic B: in half of the real dialogues it is named by then."""


def template(training: Sequence[Example], samples: Sequence[Sample]) -> list[str]:  # noqa: ARG001  # needs no data
    """Return one sentence per sample that names topic A in the first three agent turns, then B."""
    return [_SENTENCE.format(topic=_topic(sample)) for sample in samples]


def _topic(sample: Sample) -> str:
    assert sample.goal is not None
    return sample.goal.topics[len(sample.history) // 2 >= _SECOND_FROM]


def nearest(training: Sequence[Example], samples: Sequence[Sample]) -> list[str]:
    """Return the reply of the most similar situation that can be filled in.

    Situations of the same key (domains and turn) are compared by the cosine of their last two utterances in pairs of
    characters, topics left out, each weighed by its rarity; the first of equal ones counts.
    """
    entries: dict[str, list[tuple[Counter[str], PooledReply]]] = {}
    for one in training:
        of = CandidatePool.of([one]).entries
        entries.setdefault(key_of(one.sample), []).append((_pairs(one.sample), of[-1]))
    slots = CandidatePool.of(training).slots
    rarity = _rarity([pairs for of_key in entries.values() for pairs, _ in of_key])
    vectors = {key: [(_unit(pairs, rarity), entry) for pairs, entry in found] for key, found in entries.items()}
    anything = [one for found in vectors.values() for one in found]
    return [_best(sample, vectors.get(key_of(sample)) or anything, slots, rarity) for sample in samples]


def _best(sample: Sample, known: Sequence[tuple[Vector, PooledReply]], slots: Sequence[str], rarity: Vector) -> str:
    asked = _unit(_pairs(sample), rarity)
    fits = [sum(value * vector.get(pair, 0.0) for pair, value in asked.items()) for vector, _ in known]
    for place in sorted(range(len(known)), key=lambda place: -fits[place]):
        found = CandidatePool([known[place][1]._replace(key=key_of(sample))], slots).candidates(
            sample, 1, random.Random(0)
        )
        if found:
            return found[0]
    return template([], [sample])[0]


def _pairs(sample: Sample) -> Counter[str]:
    text = "|".join(without_spaces(turn.text) for turn in sample.history[-2:])
    for topic in sample.goal.topics if sample.goal is not None else ():
        text = text.replace(without_spaces(topic), "*")
    return Counter(text[at : at + 2] for at in range(len(text) - 1))


def _rarity(documents: Sequence[Counter[str]]) -> Vector:
    times = Counter(pair for one in documents for pair in one)
    return {pair: math.log(len(documents) / count) for pair, count in times.items()}


def _unit(pairs: Counter[str], rarity: Vector) -> Vector:
    weighed = {pair: count * rarity.get(pair, 0.0) for pair, count in pairs.items()}
    norm = math.sqrt(sum(value * value for value in weighed.values())) or 1.0
    return {pair: value / norm for pair, value in weighed.items()}


FLOORS: dict[str, Callable[[Sequence[Example], Sequence[Sample]], list[str]]] = {
    "template": template,
    "nearest": nearest,
}
"""What makes the replies, by name."""
