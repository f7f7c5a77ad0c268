"""Count, then total: the base of every metric, and the table of counts per item.

A metric looks at each item once and notes a few numbers, its counts. The score is a formula over the sums of
the counts. Slices, intervals and paired tests only add the counts up again, so they cost little and
cannot disagree with the headline.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec
import numpy as np

from duologue.core.errors import UsageError
from duologue.core.records import LARGEST_COUNT, SMALLEST_COUNT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.core.records import Report, Signature

    Floats = NDArray[np.float64]

Seen = TypeVar("Seen", contravariant=True)  # noqa: PLC0105  # `Seen_contra` would only repeat the next word


@dataclass(frozen=True, eq=False, slots=True)
class Counts:
    """What metrics counted: one row per item, one column per thing counted.

    A number below `SMALLEST_COUNT` is 0: a share of it could be infinite. Raises `ValueError` when the shapes do not
    fit, an id occurs twice, or a number is not finite or beyond `LARGEST_COUNT`.

    >>> counts = Counts(("a", "b"), ("items", "hit@1"), np.array([[1.0, 1.0], [1.0, 0.0]]))
    >>> counts.sums().tolist()
    [2.0, 1.0]
    """

    ids: tuple[str, ...]
    """Ids of the items, in the order of the rows."""
    columns: tuple[str, ...]
    """Names of what was counted."""
    array: Floats
    """The counts, float64 (items, columns); made read-only."""
    groups: tuple[str, ...] | None = None
    """Per item the dialogue that it belongs to: what is left out and swapped as one. `None`: not known."""

    def __post_init__(self) -> None:
        array = np.array(self.array, dtype=np.float64, order="C")
        if array.shape != (len(self.ids), len(self.columns)):
            expected = (len(self.ids), len(self.columns))
            raise ValueError(f"counts have shape {array.shape}; {expected} (items, columns) is expected")
        for names, what in ((self.ids, "item"), (self.columns, "column")):
            if len(set(names)) != len(names):
                name, times = Counter(names).most_common(1)[0]
                raise ValueError(f"{what} '{name}' is counted {times} times; once is expected")
        if self.groups is not None and len(self.groups) != len(self.ids):
            raise ValueError(f"{len(self.groups)} groups are given for {len(self.ids)} items")
        size = np.abs(array)
        array[size < SMALLEST_COUNT] = 0
        wrong = ~(size <= LARGEST_COUNT)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            found = array[row, column]
            bound = "at most 1e+100 is expected" if np.isfinite(found) else "not a number"
            raise ValueError(f"item '{self.ids[row]}': column '{self.columns[column]}' is {found}, {bound}")
        array.flags.writeable = False
        object.__setattr__(self, "array", array)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.ids)

    def sums(self) -> Floats:
        """Return the sum of each column, shape (columns,)."""
        result: Floats = self.array.sum(axis=0)
        return result

    def positions(self, columns: Sequence[str]) -> list[int]:
        """Return where the named columns stand. Raises `UsageError` for one that was not counted."""
        missing = [name for name in columns if name not in self.columns]
        if missing:
            raise UsageError(f"no column '{missing[0]}' was counted; there are {', '.join(self.columns)}")
        return [self.columns.index(name) for name in columns]

    def take(self, rows: Sequence[int]) -> Counts:
        """Return the counts of some of the items, by row number: a slice."""
        groups = None if self.groups is None else tuple(self.groups[row] for row in rows)
        return Counts(tuple(self.ids[row] for row in rows), self.columns, self.array[list(rows)], groups)

    @property
    def dialogues(self) -> int | None:
        """How many dialogues the items are of; `None` where that is not known."""
        return None if self.groups is None else len(set(self.groups))

    def sign(self, signature: Signature) -> Signature:
        """Return a signature that says what stands alone in these counts, and how many dialogues there are."""
        unit = "dialogue" if self.groups is not None else signature.unit or "sample"
        return msgspec.structs.replace(signature, unit=unit, dialogues=self.dialogues)

    def units(self) -> tuple[tuple[str, ...], Floats]:
        """Return what stands alone: dialogues with their sums, or items where dialogues are not known, sorted by id.

        Sorting makes every interval and p-value independent of the order in which items were counted.
        """
        names = self.ids if self.groups is None else self.groups
        order = sorted(range(len(names)), key=names.__getitem__)
        if self.groups is None:
            return tuple(self.ids[row] for row in order), self.array[order]
        unique = sorted(set(names))
        place = {name: number for number, name in enumerate(unique)}
        sums = np.zeros((len(unique), len(self.columns)))
        np.add.at(sums, [place[name] for name in names], self.array)
        return tuple(unique), sums

    def rows(self) -> tuple[tuple[str, tuple[float, ...]], ...]:
        """Return ids and counts as `Report.items` holds them."""
        return tuple(zip(self.ids, map(tuple, self.array.tolist()), strict=True))

    @classmethod
    def of_report(cls, report: Report) -> Counts:
        """Return the counts that a report keeps. Raises `UsageError` when it keeps none, or what none can be."""
        if not report.items or not report.columns:
            raise UsageError(
                f"the report on '{report.system or report.task}' keeps no counts per item, so it cannot be resampled; "
                f"score the result file again with this version"
            )
        try:
            return cls(
                tuple(name for name, _ in report.items),
                report.columns,
                np.array([counts for _, counts in report.items], dtype=np.float64),
                report.groups or None,
            )
        except ValueError as error:
            raise UsageError(
                f"the report on '{report.system or report.task}' is damaged: {error}; score the result file again"
            ) from error


class Metric(ABC, Generic[Seen]):
    """A formula over the sums of counts. `Seen` is what it looks at per item, such as the rank of the answer.

    A subclass says `name`, `columns`, `formula`, `total`, and `count` where it does not look at counts made before.
    """

    name: str
    """Name of the score, such as `p@1`."""
    columns: tuple[str, ...]
    """What it counts per item."""
    formula: str
    """The formula in words, part of every signature, such as `p@1 = hit@1 / items`."""
    source: str = ""
    """Where the formula is defined: a paper, an official program, a section; empty: the docstring's first line."""
    additive: bool = True
    """False where the counts of two items are not the counts of both together (DISTINCT, CIDEr)."""
    higher_is_better: bool = True
    percent: bool = True
    """False where the score is no fraction (CIDEr, a sum of scores): it is printed as it is."""
    lowest: float | None = None
    """The least score that there can be, beyond which no interval goes; `None`: 0 of a fraction, else not known."""
    highest: float | None = None
    """The greatest score that there can be; `None`: 1 of a fraction, else not known."""
    share_of: tuple[str, str] | None = None
    """Columns of hits and of trials where the score is hits / trials: where they count, its interval is a share's.

    Sums of fractions, such as reciprocal ranks, do not count: then the interval is that of any other score.
    """
    note: str = ""
    """What a reader of a table must know of the figure, in a few words such as `by rule, not the human scale`."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Between what scores lie: infinite where nothing is known."""
        low, high = (0.0, 1.0) if self.percent else (-math.inf, math.inf)
        return low if self.lowest is None else self.lowest, high if self.highest is None else self.highest

    def count(self, seen: Seen) -> tuple[float, ...]:
        """Return the counts of one item, in the order of `columns`.

        By default `seen` has them already: a mapping from column to number, 0 where it has none. Raises `TypeError`
        for anything else.
        """
        if not isinstance(seen, Mapping):
            raise TypeError(f"{self.name} looks its counts up in a mapping; {type(seen).__name__} is given")
        return tuple(float(seen.get(name, 0.0)) for name in self.columns)

    @abstractmethod
    def total(self, sums: Floats) -> Floats:
        """Return the score for sums of `columns`, shape (..., columns) -> (...).

        Vectorised over all leading axes, so that thousands of swaps are one call; NaN where nothing was
        counted.
        """

    def value(self, counts: Counts) -> float:
        """Return the score of all items together, a fraction; NaN for no items."""
        return float(self.total(counts.sums()[counts.positions(self.columns)]))


def share(part: Floats, whole: Floats, empty: float = math.nan) -> Floats:
    """Return part / whole elementwise, and `empty` where the whole is zero: nothing counted is no zero score."""
    result = np.full(np.broadcast_shapes(np.shape(part), np.shape(whole)), empty)
    np.divide(part, whole, out=result, where=np.asarray(whole) != 0)
    return result


def tally(
    metrics: Sequence[Metric[Seen]],
    ids: Sequence[str],
    seen: Sequence[Seen],
    *,
    groups: Sequence[str] | None = None,
) -> Counts:
    """Return the counts of several metrics over the same items; a column that two of them share is kept once.

    Raises `ValueError` when the numbers of ids, items and groups differ.
    """
    if len(ids) != len(seen):
        raise ValueError(f"{len(ids)} ids are given for {len(seen)} items")
    columns = tuple(dict.fromkeys(name for metric in metrics for name in metric.columns))
    array = np.zeros((len(ids), len(columns)))
    filled: set[str] = set()
    for metric in metrics:
        fresh = [(place, columns.index(name)) for place, name in enumerate(metric.columns) if name not in filled]
        filled.update(metric.columns)
        if fresh:
            for row, one in enumerate(seen):
                counted = metric.count(one)
                for place, column in fresh:
                    array[row, column] = counted[place]
    return Counts(tuple(ids), columns, array, None if groups is None else tuple(groups))
