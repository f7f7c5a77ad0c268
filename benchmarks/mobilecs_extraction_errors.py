"""Errors of extracted mentions and triples by kind, for `mobilecs_extraction.py`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Annotation, Mention, Value

    Pairs = Sequence[tuple[Annotation, Annotation]]
    """Gold and extracted annotation of each call."""
    Place = tuple[int, int, int]

Part = TypeVar("Part", "Mention", "Value")


def mention_errors(pairs: Pairs) -> dict[str, int]:
    """Count extracted mentions by what is wrong with them, and those that are missed."""
    found: Counter[str] = Counter()
    for gold, said in pairs:
        true, told = _placed(gold.mentions), _placed(said.mentions)
        for place, one in told.items():
            if place in true:
                found["right" if true[place].label == one.label else "wrong type"] += 1
            else:
                found["wrong ends" if _overlaps(place, true) else "nothing there"] += 1
        found["missed"] += sum(place not in told and not _overlaps(place, told) for place in true)
    return dict(found)


def mention_mends(pairs: Pairs) -> dict[str, float]:
    """Return the F1 of mentions, and what it were if one kind of error was mended wherever it stands.

    A mention with wrong ends is given the place of an annotated one that it overlaps and nothing else is at.
    """
    mends = {"as it is": _as_it_is, "types": _right_types, "ends": _right_ends, "nothing there": _without_extra}
    mends["missed"] = _with_missed
    return {
        name: _f1([(_labels(gold), mend(_labels(gold), _labels(said))) for gold, said in pairs])
        for name, mend in mends.items()
    }


def _labels(annotation: Annotation) -> dict[Place, str]:
    return {place: one.label for place, one in _placed(annotation.mentions).items()}


def _f1(pairs: Iterable[tuple[dict[Place, str], dict[Place, str]]]) -> float:
    right = parts = 0
    for true, told in pairs:
        right += len(true.items() & told.items())
        parts += len(true) + len(told)
    return 2 * right / max(1, parts)


def _as_it_is(_: dict[Place, str], told: dict[Place, str]) -> dict[Place, str]:
    return told


def _right_types(true: dict[Place, str], told: dict[Place, str]) -> dict[Place, str]:
    return {place: true.get(place, label) for place, label in told.items()}


def _right_ends(true: dict[Place, str], told: dict[Place, str]) -> dict[Place, str]:
    mended = {place: label for place, label in told.items() if place in true}
    for place, label in told.items():
        if place not in true:
            free = [one for one in true if one not in mended and one not in told and _overlaps(place, [one])]
            mended[free[0] if free else place] = label
    return mended


def _without_extra(true: dict[Place, str], told: dict[Place, str]) -> dict[Place, str]:
    return {place: label for place, label in told.items() if _overlaps(place, true)}


def _with_missed(true: dict[Place, str], told: dict[Place, str]) -> dict[Place, str]:
    return told | {place: label for place, label in true.items() if not _overlaps(place, told)}


def triple_errors(pairs: Pairs) -> dict[str, int]:
    """Count extracted values by what is wrong with them, and those that are missed; owners by their mentions."""
    found: Counter[str] = Counter()
    for gold, said in pairs:
        true, told = _placed(gold.values), _placed(said.values)
        owners = _owners(gold, said)
        for place, one in told.items():
            if place in true:
                other = true[place]
                owner = owners.get(one.entity) if one.entity is not None else None
                kind = "wrong slot" if one.slot != other.slot else "right" if owner == other.entity else "wrong owner"
                found[kind] += 1
            else:
                found["wrong ends" if _overlaps(place, true) else "nothing there"] += 1
        found["missed"] += sum(place not in told and not _overlaps(place, told) for place in true)
    return dict(found)


def _placed(parts: Iterable[Part]) -> dict[Place, Part]:
    return {(one.span.turn, one.span.start, one.span.end): one for one in parts if one.span is not None}


def _overlaps(place: Place, others: Iterable[Place]) -> bool:
    return any(place[0] == turn and place[1] < end and start < place[2] for turn, start, end in others)


def _owners(gold: Annotation, said: Annotation) -> dict[str | None, str | None]:
    """Return for each extracted entity the gold one with most mentions and values at its places."""
    votes: dict[str | None, Counter[str | None]] = {}
    true = {place: one.entity for place, one in _placed(gold.mentions).items()}
    true |= {place: one.entity for place, one in _placed(gold.values).items() if place not in true}
    told = [(place, one.entity) for place, one in _placed(said.mentions).items()]
    told += [(place, one.entity) for place, one in _placed(said.values).items()]
    for place, entity in told:
        if entity is not None and true.get(place) is not None:
            votes.setdefault(entity, Counter())[true[place]] += 1
    return {entity: counts.most_common(1)[0][0] for entity, counts in votes.items()}
