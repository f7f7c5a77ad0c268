"""Counts summed over runs of consecutive items: what a file of millions of lines keeps instead of a row per line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.metrics.counts import Floats
    from duologue.metrics.tokens import Integers


class RunSums:
    """Named columns, each the sums over at most `limit` runs of equally many items; filled chunk by chunk, in order.

    >>> sums = RunSums(5, limit=3)
    >>> sums.add({"words": np.array([1, 2, 3])})
    >>> sums.add({"words": np.array([4, 5])})
    >>> sums.step, sums.columns["words"].tolist()
    (2, [3.0, 7.0, 5.0])
    """

    def __init__(self, items: int, limit: int) -> None:
        self.step = max(1, -(-items // limit))
        self.runs = -(-items // self.step)
        self.columns: dict[str, Floats] = {}
        self._at: dict[str, int] = {}

    def where(self, first: int, count: int) -> Integers:
        """Return the run index of `count` items from `first`."""
        return np.arange(first, first + count) // self.step

    def add(self, columns: Mapping[str, Floats | Integers]) -> None:
        """Add the counts of the next items to these columns."""
        for name, values in columns.items():
            here = self.columns.setdefault(name, np.zeros(self.runs))
            at = self._at.get(name, 0)
            first = at // self.step
            sums = np.bincount(self.where(at, len(values)) - first, weights=values)
            here[first : first + len(sums)] += sums
            self._at[name] = at + len(values)
