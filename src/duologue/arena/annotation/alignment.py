"""Which entity of one annotator is which of another: the one that shares the most mentions and values."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.arena.annotation.items import AnnotationItem


def clusters(items: Sequence[AnnotationItem]) -> dict[str, set[tuple[int, int, int]]]:
    """Return by entity where it is mentioned."""
    found: dict[str, set[tuple[int, int, int]]] = defaultdict(set)
    for one in items:
        if one.layer == "mention" and one.entity is not None:
            found[one.entity].add((one.turn, one.start, one.end))
    return dict(found)


def align(theirs: Sequence[AnnotationItem], ours: Sequence[AnnotationItem]) -> dict[str, str]:
    """Return by entity of `theirs` the one of `ours` that it is, for those that share a mention or value.

    Pairs with more in common go first, ties by name; an entity is given once.
    """
    right: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for b, evidence in _evidence(ours).items():
        for one in evidence:
            right[one].append(b)
    shared = Counter(
        (a, b) for a, evidence in _evidence(theirs).items() for one in evidence for b in right.get(one, ())
    )
    found: dict[str, str] = {}
    given: set[str] = set()
    for (a, b), _ in sorted(shared.items(), key=lambda pair: (-pair[1], pair[0])):
        if a not in found and b not in given:
            found[a] = b
            given.add(b)
    return found


def _evidence(items: Sequence[AnnotationItem]) -> dict[str, set[tuple[object, ...]]]:
    """Return by entity where its mentions and values are."""
    found: dict[str, set[tuple[object, ...]]] = defaultdict(set)
    for one in items:
        if one.entity is not None:
            label = one.label if one.layer == "value" else ""
            found[one.entity].add((one.layer, one.turn, one.start, one.end, label))
    return found


def renamed(
    items: Sequence[AnnotationItem], names: dict[str, str], prefix: str, *, taken: int = 0
) -> list[AnnotationItem]:
    """Return items with their entities called as in `names`; others get new numbers behind `taken`.

    Arguments of intents that name an entity follow it.
    """
    called = dict(names)
    for one in items:
        if one.entity is not None and one.entity not in called:
            taken += 1
            called[one.entity] = f"{prefix}{taken}"

    order = {name: place for place, name in enumerate(called)}

    def argument(text: str) -> str:
        owners = [text[:at] for at, sign in enumerate(text) if sign == "-" and text[:at] in order]
        owner = min(owners, key=order.__getitem__, default=None)
        return text if owner is None else called[owner] + text[len(owner) :]

    return [
        msgspec.structs.replace(
            one,
            entity=None if one.entity is None else called[one.entity],
            args=tuple(argument(text) for text in one.args),
        )
        for one in items
    ]


def highest(items: Sequence[AnnotationItem], prefix: str) -> int:
    """Return the highest number of an entity; 0 where there is none."""
    numbers = [one.entity[len(prefix) :] for one in items if one.entity is not None and one.entity.startswith(prefix)]
    return max((int(number) for number in numbers if number.isascii() and number.isdecimal()), default=0)
