"""Character-level edit distance between two texts: substitutions, insertions, deletions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Edits(NamedTuple):
    """What turns one text into another at least cost; each edit costs one."""

    substituted: int
    inserted: int
    deleted: int

    @property
    def cost(self) -> int:
        """The edit distance."""
        return self.substituted + self.inserted + self.deleted


def edits(wanted: str, found: str) -> Edits:
    """Return the edits of a cheapest way from `wanted` to `found`; of several the one with fewest substitutions.

    Memory is that of one row, time that of the product of the lengths.

    >>> edits("这个景点", "景点这个")
    Edits(substituted=0, inserted=2, deleted=2)
    """
    # A cell holds (cost, substitutions, insertions, deletions); the first two decide.
    above = [(column, 0, column, 0) for column in range(len(found) + 1)]
    for row, sign in enumerate(wanted, 1):
        here = [(row, 0, 0, row)]
        for column, other in enumerate(found, 1):
            cost, substituted, inserted, deleted = above[column - 1]
            if sign == other:
                here.append((cost, substituted, inserted, deleted))
                continue
            best = (cost + 1, substituted + 1, inserted, deleted)
            cost, substituted, inserted, deleted = here[-1]
            best = min(best, (cost + 1, substituted, inserted + 1, deleted))
            cost, substituted, inserted, deleted = above[column]
            here.append(min(best, (cost + 1, substituted, inserted, deleted + 1)))
        above = here
    return Edits(*above[-1][1:])


def error_rate(pairs: Iterable[tuple[str, str]]) -> float:
    """Return the character error rate of pairs (wanted, found): all edits by all wanted characters; 0 for none."""
    costs, length = 0, 0
    for wanted, found in pairs:
        costs += edits(wanted, found).cost
        length += len(wanted)
    return costs / length if length else 0.0
