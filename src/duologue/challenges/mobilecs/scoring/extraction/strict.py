"""Strict counts of track 1, without the official quirks (specification, section 15).

A mention is right if turn, side, start, end and type are. Entities, mentioned or not, are assigned by the turns, slots
and values of their triples, then by shared mentions. A triple is right if entity, turn, slot and value are.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from duologue.core.sums import added
from duologue.metrics.ngrams import clipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.challenges.mobilecs.scoring.extraction.checker import ComparedMention, DialogueExtraction

Key = TypeVar("Key")

_BREAKS_TIES = 1e-4
"""Weight of shared mentions: below the smallest difference that the triples of a document can make."""
_NUDGE = 1e-6
"""Weight that makes the solver prefer other, equally good assignments."""


class Matches(NamedTuple):
    """Which mentions and triples of one document's answer are right."""

    mentions: list[int | None]
    """For each predicted mention the place of the gold one that it is; `None` where it is wrong."""
    triples: list[int | None]
    """The same for each predicted triple."""
    entities: dict[str, str]
    """The gold entity of each predicted one that has any."""
    tie: bool
    """Whether an equally good assignment would give another number of right triples."""


class DialogueCounts(NamedTuple):
    """Counts of one document."""

    columns: dict[str, float]
    tie: bool
    """Whether an equally good assignment would give another number of right triples."""


def count(predicted: DialogueExtraction, gold: DialogueExtraction) -> DialogueCounts:
    """Return the counts of one document's answer."""
    matches = match(predicted, gold)
    columns = {
        "entity right": float(len(predicted.mentions) - matches.mentions.count(None)),
        "entity said": float(len(predicted.mentions) + predicted.wrong_mentions),
        "entity wanted": float(len(gold.mentions) + gold.wrong_mentions),
        "triple right": float(len(predicted.triples) - matches.triples.count(None)),
        "triple said": float(len(predicted.triples) + predicted.wrong_triples),
        "triple wanted": float(len(gold.triples) + gold.wrong_triples),
    }
    return DialogueCounts(columns, matches.tie)


def match(predicted: DialogueExtraction, gold: DialogueExtraction) -> Matches:
    """Return which mentions and triples of one document's answer are right; of equal gold ones each is taken once."""
    assigned, tie = _assign(predicted, gold)
    left = _places(gold.triples)
    triples: list[int | None] = []
    for one in predicted.triples:
        if one.entity is not None and one.entity not in assigned:
            triples.append(None)
            continue
        triples.append(_taken(left, one if one.entity is None else one._replace(entity=assigned[one.entity])))
    return Matches(_right_mentions(predicted.mentions, gold.mentions), triples, assigned, tie)


def _right_mentions(predicted: Sequence[ComparedMention], gold: Sequence[ComparedMention]) -> list[int | None]:
    """Return which mentions are right; those without a side may match on either, after all others."""
    left = _places((one.turn, one.side, one.start, one.end, one.label) for one in gold)
    right: list[int | None] = [None] * len(predicted)
    for number in sorted(range(len(predicted)), key=lambda number: predicted[number].side is None):
        one = predicted[number]
        for side in (0, 1) if one.side is None else (one.side,):
            right[number] = _taken(left, (one.turn, side, one.start, one.end, one.label))
            if right[number] is not None:
                break
    return right


def _places(keys: Iterable[Key]) -> dict[Key, deque[int]]:
    found: dict[Key, deque[int]] = {}
    for place, key in enumerate(keys):
        found.setdefault(key, deque()).append(place)
    return found


def _taken(left: Mapping[Key, deque[int]], key: Key) -> int | None:
    """Return the first place of a key that is left, and use it up."""
    places = left.get(key)
    return places.popleft() if places else None


def _assign(predicted: DialogueExtraction, gold: DialogueExtraction) -> tuple[dict[str, str], bool]:
    """Assign predicted entities to gold ones, and tell whether ties mattered.

    Remaining ties are decided by the solver over ids in sorted order.
    """
    from duologue.metrics.assignment import assign

    rows, columns = _by_entity(predicted), _by_entity(gold)
    names, others = sorted(rows), sorted(columns)
    shared = [[_shared(rows[row], columns[column]) for column in others] for row in names]
    weights = [
        [
            2 * hits / (len(rows[row]) + len(columns[column])) if hits else 0.0
            for column, hits in zip(others, line, strict=True)
        ]
        for row, line in zip(names, shared, strict=True)
    ]
    overlap = _overlaps(predicted.mentions, gold.mentions)
    combined = [
        [weight + _BREAKS_TIES * overlap.get((row, column), 0.0) for column, weight in zip(others, line, strict=True)]
        for row, line in zip(names, weights, strict=True)
    ]
    found = assign(combined)
    tie = _ties_matter(combined, shared)
    assigned = {
        row: others[place]
        for row, place, line in zip(names, found, combined, strict=True)
        if place is not None and line[place] > 0  # those who share nothing are not each other
    }
    return assigned, tie


def _by_entity(extraction: DialogueExtraction) -> dict[str, list[tuple[int, str, str]]]:
    """Return turn, slot and value of the triples of each entity that has a mention or a triple."""
    found: dict[str, list[tuple[int, str, str]]] = {one.entity: [] for one in extraction.mentions}
    for one in extraction.triples:
        if one.entity is not None:
            found.setdefault(one.entity, []).append((one.turn, one.slot, one.value))
    return found


def _shared(predicted: Sequence[tuple[int, str, str]], gold: Sequence[tuple[int, str, str]]) -> int:
    return clipped(predicted, gold) if predicted and gold else 0


def _overlaps(predicted: Sequence[ComparedMention], gold: Sequence[ComparedMention]) -> dict[tuple[str, str], float]:
    """Return the share of equal mentions (turn, side, start, end) of each pair of entities that have any."""
    places: dict[tuple[int, int | None, int, int], list[str]] = {}
    for one in gold:
        places.setdefault((one.turn, one.side, one.start, one.end), []).append(one.entity)
    hits: Counter[tuple[str, str]] = Counter()
    for one in predicted:
        for side in (0, 1) if one.side is None else (one.side,):
            for entity in places.get((one.turn, side, one.start, one.end), ()):
                hits[one.entity, entity] += 1
    sizes = Counter(("said", one.entity) for one in predicted) + Counter(("true", one.entity) for one in gold)
    return {
        (here, there): min(1.0, 2 * times / (sizes["said", here] + sizes["true", there]))
        for (here, there), times in hits.items()
    }


def _ties_matter(weights: list[list[float]], hits: list[list[int]]) -> bool:
    """Tell whether equally good assignments give different numbers of right triples."""
    from duologue.metrics.assignment import assign

    if not any(sum(hit > 0 for hit in line) > 1 for line in (*hits, *zip(*hits, strict=True))):
        return False  # no entity has two to choose from
    totals = []
    for sign in (1, -1):
        nudged = [
            [weight + sign * _NUDGE * hit for weight, hit in zip(line, marks, strict=True)]
            for line, marks in zip(weights, hits, strict=True)
        ]
        found = assign(nudged)
        totals.append(added(hits[row][place] for row, place in enumerate(found) if place is not None))
    return totals[0] != totals[1]
