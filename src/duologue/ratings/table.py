"""Ratings as numbers: rows with the places of their item, system and rater, and tables of units by raters."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.metrics.counts import Floats
    from duologue.ratings.judgement import Rating

    Integers = NDArray[np.int64]

MAX_SYSTEMS = 300
"""Systems that are compared, each with each."""
_MAX_CELLS = 50_000_000
"""Answers by raters, most of them empty, that are held at once."""


class RatingTable(NamedTuple):
    """Ratings in the order of their rows, with sorted names."""

    items: tuple[str, ...]
    systems: tuple[str, ...]
    raters: tuple[str, ...]
    criteria: tuple[str, ...]
    item: Integers
    """Per row the place of its item in `items`; so too the next three."""
    system: Integers
    rater: Integers
    criterion: Integers
    value: Floats

    @classmethod
    def of(cls, ratings: Sequence[Rating], criteria: Sequence[str]) -> RatingTable:
        """Return the ratings as a table; `criteria` gives the order of the criteria.

        Raises `UsageError` as `expect_systems` does.
        """
        items, systems, raters = (
            tuple(sorted({str(one[field]) for one in ratings}))
            for field in range(3)  # the first three fields are names
        )
        expect_systems(systems)
        return cls(
            items=items,
            systems=systems,
            raters=raters,
            criteria=tuple(criteria),
            item=_places([one.item for one in ratings], items),
            system=_places([one.system for one in ratings], systems),
            rater=_places([one.rater for one in ratings], raters),
            criterion=_places([one.criterion for one in ratings], criteria),
            value=np.array([one.value for one in ratings], dtype=np.float64),
        )

    def units(self, criterion: int, systems: Sequence[int] | None = None) -> UnitTable:
        """Return the ratings of one criterion as a table of units (an item with a system) by raters.

        Raises `UsageError` for more units and raters than are held at once.
        """
        kept = self.criterion == criterion
        if systems is not None:
            kept &= np.isin(self.system, systems)
        unit = self.item[kept] * len(self.systems) + self.system[kept]
        units, rows = np.unique(unit, return_inverse=True)
        raters, columns = np.unique(self.rater[kept], return_inverse=True)
        if len(units) * len(raters) > _MAX_CELLS:
            raise UsageError(
                f"{len(units):,} answers were rated by {len(raters):,} raters, which is more than can be compared at "
                "once; does each rater have one name, the same in all their rows?"
            )
        values = np.full((len(units), len(raters)), np.nan)
        values[rows, columns] = self.value[kept]
        return UnitTable(values, units // len(self.systems), units % len(self.systems), raters)


class UnitTable(NamedTuple):
    """Units by raters."""

    values: Floats
    """(units, raters); NaN where a rater did not rate a unit."""
    item: Integers
    """Per unit the place of its item: units of one item are resampled together."""
    system: Integers
    raters: Integers
    """Per column the place of its rater."""


def expect_systems(systems: Sequence[str]) -> None:
    """Raise `UsageError` for more systems than are compared."""
    if len(systems) > MAX_SYSTEMS:
        raise UsageError(
            f"{len(systems):,} systems were rated, the first is '{systems[0]}'; {MAX_SYSTEMS} are compared at most: "
            "do item and system stand in each other's place?"
        )


def _places(names: Sequence[str], known: Sequence[str]) -> Integers:
    """Return the place of each name among those known."""
    found = {name: place for place, name in enumerate(known)}
    return np.array([found[name] for name in names], dtype=np.int64)
