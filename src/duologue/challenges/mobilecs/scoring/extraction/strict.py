"""Track 1 counted strictly: what the specification's section 15 recommends in place of the official quirks.

A mention is right with turn, side, start, end and type. Entities are assigned by their triples' turns, slots and
values, then by shared mentions, and entities that are never mentioned take part. A triple is right with the assigned
entity, turn, slot and value.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.scoring.extraction.checker import ComparedMention, DialogueExtraction

_BREAKS_TIES = 1e-4
"""Weight of shared mentions: below the smallest difference that triples of one document can make."""
_NUDGE = 1e-6
"""Weight that makes the solver look for other assignments that are as good."""


class DialogueCounts(NamedTuple):
    """Counts of one document."""

    columns: dict[str, float]
    tie: bool
    """Whether another assignment that is as similar would give another number of right triples."""


def count(said: DialogueExtraction, true: DialogueExtraction) -> DialogueCounts:
    """Return the counts of one document's answer."""
    assigned, tie = _assign(said, true)
    left = Counter(true.triples)
    right = 0
    for one in said.triples:
        if one.entity is not None and one.entity not in assigned:
            continue
        key = one._replace(entity=assigned[one.entity]) if one.entity is not None else one
        if left[key] > 0:
            left[key] -= 1
            right += 1
    columns = {
        "entity right": float(_right_mentions(said.mentions, true.mentions)),
        "entity said": float(len(said.mentions) + said.wrong_mentions),
        "entity wanted": float(len(true.mentions) + true.wrong_mentions),
        "triple right": float(right),
        "triple said": float(len(said.triples) + said.wrong_triples),
        "triple wanted": float(len(true.triples) + true.wrong_triples),
    }
    return DialogueCounts(columns, tie)


def _right_mentions(said: Sequence[ComparedMention], true: Sequence[ComparedMention]) -> int:
    """Return how many mentions are right; one whose side is not told may be on either side, after the others."""
    left = Counter((one.turn, one.side, one.start, one.end, one.label) for one in true)
    right = 0
    for one in sorted(said, key=lambda mention: mention.side is None):
        for side in (0, 1) if one.side is None else (one.side,):
            key = (one.turn, side, one.start, one.end, one.label)
            if left[key] > 0:
                left[key] -= 1
                right += 1
                break
    return right


def _assign(said: DialogueExtraction, true: DialogueExtraction) -> tuple[dict[str, str], bool]:
    """Return which predicted entity is which true one, and whether ties mattered.

    Equal similarities and shared mentions are decided by the solver over ids in sorted order.
    """
    from duologue.metrics.assignment import assign

    rows, columns = _by_entity(said), _by_entity(true)
    names, others = sorted(rows), sorted(columns)
    shared = [[_shared(rows[row], columns[column]) for column in others] for row in names]
    weights = [
        [
            2 * hits / (len(rows[row]) + len(columns[column])) if hits else 0.0
            for column, hits in zip(others, line, strict=True)
        ]
        for row, line in zip(names, shared, strict=True)
    ]
    overlap = _overlaps(said.mentions, true.mentions)
    combined = [
        [weight + _BREAKS_TIES * overlap.get((row, column), 0.0) for column, weight in zip(others, line, strict=True)]
        for row, line in zip(names, weights, strict=True)
    ]
    found = assign(combined)
    tie = _ties_matter(combined, shared)
    return {row: others[place] for row, place in zip(names, found, strict=True) if place is not None}, tie


def _by_entity(extraction: DialogueExtraction) -> dict[str, list[tuple[int, str, str]]]:
    """Return turn, slot and value of the triples of each entity that is mentioned or told of."""
    found: dict[str, list[tuple[int, str, str]]] = {one.entity: [] for one in extraction.mentions}
    for one in extraction.triples:
        if one.entity is not None:
            found.setdefault(one.entity, []).append((one.turn, one.slot, one.value))
    return found


def _shared(said: Sequence[tuple[int, str, str]], true: Sequence[tuple[int, str, str]]) -> int:
    return (Counter(said) & Counter(true)).total() if said and true else 0


def _overlaps(said: Sequence[ComparedMention], true: Sequence[ComparedMention]) -> dict[tuple[str, str], float]:
    """Return the share of equal mentions (turn, side, start, end) of each pair of entities that have any."""
    places: dict[tuple[int, int | None, int, int], list[str]] = {}
    for one in true:
        places.setdefault((one.turn, one.side, one.start, one.end), []).append(one.entity)
    hits: Counter[tuple[str, str]] = Counter()
    for one in said:
        for side in (0, 1) if one.side is None else (one.side,):
            for entity in places.get((one.turn, side, one.start, one.end), ()):
                hits[one.entity, entity] += 1
    sizes = Counter(("said", one.entity) for one in said) + Counter(("true", one.entity) for one in true)
    return {
        (here, there): min(1.0, 2 * times / (sizes["said", here] + sizes["true", there]))
        for (here, there), times in hits.items()
    }


def _ties_matter(weights: list[list[float]], hits: list[list[int]]) -> bool:
    """Tell whether equally good assignments differ in how many triples they make right."""
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
