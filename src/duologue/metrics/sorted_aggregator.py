"""Aggregates values by key in sorted arrays: a few bytes per distinct key instead of a dictionary entry.

A dictionary needs about a hundred bytes per key; here a key costs its own size. New keys are buffered and merged in
batches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.metrics.tokens import Integers

_SMALLEST_BATCH = 1 << 20
"""Smallest batch of pending keys that is merged into the sorted arrays; a quarter of these once they are larger."""


class SortedAggregator:
    """Different keys with values. A key is one machine word or several; values of equal keys are joined.

    >>> seen = SortedAggregator(np.add)
    >>> seen.add([np.array([7, 3, 7])], [np.array([1, 1, 1])])
    >>> [array.tolist() for array in (*seen.keys(), *seen.values())]
    [[3, 7], [1, 2]]
    """

    def __init__(self, *joins: np.ufunc, words: int = 1) -> None:
        """Take keys of so many words, and for each value how two of them are joined, such as `np.add`."""
        self._joins = joins
        self._words = words
        self._sorted: list[NDArray[Any]] = []
        self._pending: list[Sequence[NDArray[Any]]] = []
        self._held = 0

    def add(self, keys: Sequence[NDArray[Any]], values: Sequence[NDArray[Any]] = ()) -> None:
        """Put in keys, given word by word, with their values; all are arrays of one length."""
        if not len(keys[0]):
            return
        self._pending.append([*keys, *values])
        self._held += len(keys[0])
        if self._held > max(_SMALLEST_BATCH, len(self) // 4):
            self._settle()

    def __len__(self) -> int:
        """Return how many different keys there are among those sorted in so far."""
        return len(self._sorted[0]) if self._sorted else 0

    def keys(self) -> list[NDArray[Any]]:
        """Return the different keys in ascending order, word by word; nothing where none was put in."""
        self._settle()
        return self._sorted[: self._words]

    def values(self) -> list[NDArray[Any]]:
        """Return the values in the order of the keys; nothing where none was put in."""
        self._settle()
        return self._sorted[self._words :]

    def places(self, keys: Integers) -> Integers:
        """Return the place of each key of one word, and -1 for a key that was never put in."""
        self._settle()
        if not len(self):
            return np.full(len(keys), -1)
        places = np.searchsorted(self._sorted[0], keys)
        places[places == len(self)] = 0
        found: Integers = np.where(self._sorted[0][places] == keys, places, -1)
        return found

    def _settle(self) -> None:
        if not self._pending:
            return
        parts = [*([self._sorted] if self._sorted else []), *self._pending]
        columns = [np.concatenate(several) for several in zip(*parts, strict=True)]
        self._pending, self._held, self._sorted = [], 0, []
        order = np.lexsort(columns[: self._words][::-1])
        columns = [column[order] for column in columns]
        fresh = np.ones(len(order), dtype=bool)
        fresh[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns[: self._words]])
        starts = np.flatnonzero(fresh)
        values = zip(self._joins, columns[self._words :], strict=True)
        self._sorted = [
            *(column[starts] for column in columns[: self._words]),
            *(join.reduceat(column, starts) for join, column in values),
        ]
