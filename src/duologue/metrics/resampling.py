"""Fair coins: what two or more systems exchange when whole dialogues are swapped between them at random.

Draws come in blocks of 250. Block b under seed s is drawn from numpy's PCG64 seeded with `SeedSequence([s, 2, b])`, so
draws depend on the seed and on the data only, never on a batch size, a thread or a worker, and the first draws of a
longer run are those of a shorter one. Row by row the generator's raw 64-bit words are used, which numpy promises never
to change; rows that occur many times (hits are 0 or 1) are drawn together with its binomial, pinned by a test. Both
give the same distribution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from duologue.metrics.counts import Floats

BLOCK = 250
"""Draws per stream of chance; a part of the definition, not a setting."""
FEW = 12
"""With so many rows or fewer, all outcomes are gone through instead of being drawn."""

_PURPOSE = 2
_BINOMIAL_COST = 200
"""What a draw for one kind of row costs, in draws for one row."""
_CELLS = 1 << 17
"""Coins held at once when drawing row by row: they stay in the cache."""
_EXACT = 1 << 24
"""Sums of whole numbers below this are exact in single precision."""


class _Kinds(NamedTuple):
    rows: Floats
    times: Floats


class CoinSums:
    """Sums over those rows whose coin shows heads, draw by draw.

    `grouped` forces whether equal rows are drawn together; by default the cheaper way is taken. Raises `UsageError`
    for a negative seed.
    """

    def __init__(self, rows: Floats, seed: int, *, grouped: bool | None = None) -> None:
        if seed < 0:
            raise UsageError(f"the seed is {seed}; it must be 0 or more")
        self.rows = rows[(rows != 0).any(axis=1)]
        """Those that change a sum."""
        self._seed = seed
        kinds = _kinds(self.rows) if grouped is not False else _Kinds(self.rows, np.ones(len(self.rows)))
        together = len(kinds.rows) * _BINOMIAL_COST <= len(self.rows) if grouped is None else grouped
        self._kinds = kinds if together else None
        whole = bool((self.rows == np.round(self.rows)).all()) and np.abs(self.rows).sum(axis=0).max(initial=0) < _EXACT
        self._table = self.rows.astype(np.float32 if whole and not together else np.float64)

    def block(self, number: int) -> Floats:
        """Return the sums of one block of draws, (250, columns)."""
        bits = np.random.PCG64(np.random.SeedSequence([self._seed, _PURPOSE, number]))
        if self._kinds is not None:
            times = self._kinds.times.astype(np.int64)
            drawn = np.random.Generator(bits).binomial(times, 0.5, size=(BLOCK, len(times)))
            together: Floats = drawn.astype(np.float64) @ self._kinds.rows
            return together
        height = max(1, min(BLOCK, _CELLS // max(1, len(self.rows))))
        parts = []
        for start in range(0, BLOCK, height):
            coins = _coins(bits, min(height, BLOCK - start), len(self.rows))
            parts.append((coins.astype(self._table.dtype) @ self._table).astype(np.float64))
        return np.concatenate(parts)

    def every(self) -> Floats:
        """Return the sums of all outcomes, (2 ** rows, columns): for few rows only."""
        outcomes = np.arange(1 << len(self.rows))
        coins = (outcomes[:, None] >> np.arange(len(self.rows))) & 1
        found: Floats = coins.astype(np.float64) @ self.rows
        return found


def _kinds(rows: Floats) -> _Kinds:
    """Return the distinct rows in the order of their first occurrence, and how often each occurs.

    That order, unlike a sorted one, stays when the columns of two systems change places: a test of A against B and of
    B against A see the same draws.
    """
    unique, first, times = np.unique(rows, axis=0, return_index=True, return_counts=True)
    order = np.argsort(first)
    return _Kinds(np.ascontiguousarray(unique[order]), times[order].astype(np.float64))


def _coins(bits: np.random.PCG64, lines: int, n: int) -> np.ndarray:
    """Return fair bits as 0 and 1, (lines, n); each line starts with a fresh 64-bit word."""
    words = bits.random_raw(lines * ((n + 63) // 64)).astype("<u8", copy=False)
    return np.unpackbits(words.view(np.uint8).reshape(lines, -1), axis=1, count=n)
