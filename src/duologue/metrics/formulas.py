"""Formulas over counts by name: a ratio, a mean, a weighted sum of other scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from duologue.core.sums import added
from duologue.metrics.counts import Metric, share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.metrics.counts import Floats


class Ratio(Metric[Any]):
    """The sum of column `part` by that of column `whole`, and by `per`; `empty` where the whole is 0."""

    per: float = 1.0
    empty: float = math.nan

    def __init__(
        self, name: str, part: str, whole: str, formula: str = "", *, per: float = 1.0, empty: float = math.nan,
        additive: bool = True, percent: bool = True, higher_is_better: bool = True, source: str = "", note: str = "",
        lowest: float | None = None, highest: float | None = None,
    ) -> None:  # fmt: skip
        self.name, self.columns = name, (whole, part)
        self.lowest, self.highest = lowest, highest
        self.formula = formula or f"{name} = {part} / {whole}"
        self.per, self.empty, self.additive = per, empty, additive
        self.percent, self.higher_is_better, self.source, self.note = percent, higher_is_better, source, note
        self.share_of = (part, whole) if percent and per == 1 else None

    def total(self, sums: Floats) -> Floats:
        """Return part / whole / per."""
        return share(sums[..., 1], sums[..., 0], self.empty) / self.per


class Average(Ratio):
    """The mean over items of a value that each item has by itself.

    `of` takes it from what is seen of an item; without, that is the value, or has it in column `name`.
    """

    def __init__(
        self, name: str, formula: str, *,
        of: Callable[[Any], float] | None = None, items: str = "items", **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, name, items, formula, **options)
        self.of = of

    def count(self, seen: Any) -> tuple[float, ...]:
        """Return 1 and the value."""
        value = seen if self.of is None else self.of(seen)
        return (1.0, float(value)) if isinstance(value, int | float) else super().count(seen)


class Weighted(Metric[Any]):
    """A weighted sum of other scores over the same items."""

    def __init__(
        self, name: str, parts: Sequence[tuple[float, Metric[Any]]], formula: str, *,
        percent: bool = True, source: str = "",
    ) -> None:  # fmt: skip
        self.name, self.parts, self.formula = name, tuple(parts), formula
        self.percent, self.source = percent, source
        self.columns = tuple(dict.fromkeys(column for _, part in self.parts for column in part.columns))
        ends = [sorted(weight * end for end in part.bounds) for weight, part in self.parts if weight]
        self.lowest, self.highest = (added(end[side] for end in ends) for side in (0, 1))

    def total(self, sums: Floats) -> Floats:
        """Return the sum of weight times score."""
        result = np.zeros(np.shape(sums)[:-1])
        for weight, part in self.parts:
            result = result + weight * part.total(sums[..., [self.columns.index(name) for name in part.columns]])
        return result
