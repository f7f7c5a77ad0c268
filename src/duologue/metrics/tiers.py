"""Tiers and ranks of systems, from which of them are shown to differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


class Standing(NamedTuple):
    """Where the tests leave a system."""

    tier: int
    """1 for the first system and all that are not shown to be worse than it; the next one starts tier 2; and so on."""
    best: int
    """1 + the systems shown to be better."""
    worst: int
    """The number of systems less those shown to be worse."""


def standings(names: Sequence[str], apart: Collection[tuple[str, str]]) -> list[Standing]:
    """Return the standing of each system, given best first; `apart` has pairs, the one shown to be better first.

    >>> [one.tier for one in standings(["a", "b", "c"], {("a", "c"), ("b", "c")})]
    [1, 1, 2]
    """
    tier, leader, found = 1, names[0] if names else "", []
    for name in names:
        if (leader, name) in apart:
            tier, leader = tier + 1, name
        better = sum((other, name) in apart for other in names)
        worse = sum((name, other) in apart for other in names)
        found.append(Standing(tier, 1 + better, len(names) - worse))
    return found
