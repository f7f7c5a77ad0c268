"""Pairwise multiset overlap of many texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


def overlaps(texts: Sequence[Iterable[Hashable]]) -> tuple[Floats, Floats]:
    """Return the sizes (n,) and the pairwise multiset intersection sizes (n, n) of n sequences of items.

    The k-th occurrence of an item has its own column, so that an intersection is a dot product of 0/1 rows. (`@` would
    split this small product among threads, which costs more than it saves.)
    """
    numbers: dict[tuple[Hashable, int], int] = {}
    rows: list[int] = []
    columns: list[int] = []
    for row, text in enumerate(texts):
        seen: dict[Hashable, int] = {}
        for item in text:
            times = seen[item] = seen.get(item, 0) + 1
            rows.append(row)
            columns.append(numbers.setdefault((item, times), len(numbers)))
    table = np.zeros((len(texts), max(1, len(numbers))), dtype=np.float32)
    table[rows, columns] = 1.0
    return table.sum(axis=1), np.einsum("ik,jk->ij", table, table)
