"""Sums of counts under resampling: the draws behind intervals and p-values.

Chance: resamples come in blocks of 250. Block b of purpose p under seed s draws from numpy's PCG64, seeded
with `SeedSequence([s, p, b])`. So the draws depend on the seed and on the data only, never on a batch size,
a thread or a worker, and the first resamples of a longer run are those of a shorter one. The general paths
use the generator's raw 64-bit words, which numpy promises never to change; the grouped paths use its
multinomial and binomial, pinned by a test.

Where many items have the same counts (hits are 0 or 1), equal rows are drawn together: how often a kind of
row is drawn is multinomial, how many of its rows are swapped is binomial. That is the same distribution as
item by item, and much cheaper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.metrics.counts import Floats

BLOCK = 250
"""Resamples per stream of chance; a part of the definition, not a setting."""

_BOOTSTRAP, _RANDOMISATION = 1, 2
_MULTINOMIAL_COST, _BINOMIAL_COST = 32, 200
"""What a draw for one kind of row costs, in draws for one row; measured in `benchmarks/significance.py`."""
_WIDE = 64
"""From so many columns on (a board of many systems) at least as many lines are held at once: the rows no longer fit
the cache, and each pass over them should serve many lines."""
_CELLS = 1 << 15
"""Cells of the weight matrix held at once when drawing by row (a quarter of a megabyte: it stays in the cache)."""


class Swapped(NamedTuple):
    """Sums of two systems after swapping, each (resamples, columns)."""

    first: Floats
    second: Floats


class _Kinds(NamedTuple):
    rows: Floats
    times: Floats


def bootstrap_sums(rows: Floats, resamples: int, seed: int, *, grouped: bool | None = None) -> Floats:
    """Return the column sums of `resamples` draws of len(rows) rows with replacement, (resamples, columns).

    `grouped` forces the path (both give the same distribution); by default the cheaper one is taken. In the
    general path a row's chance differs from 1 / n by less than n / 2**32 of itself. Raises `UsageError` for
    no rows, fewer than one resample or a negative seed.
    """
    _expect(rows, resamples, seed)
    kinds = _kinds(rows)
    n = len(rows)
    if grouped if grouped is not None else len(kinds.rows) * _MULTINOMIAL_COST <= n:
        chances = kinds.times / n

        def draw(bits: np.random.PCG64, count: int) -> Floats:
            drawn = np.random.Generator(bits).multinomial(n, chances, size=count)
            return drawn.astype(np.float64) @ kinds.rows
    else:

        def draw(bits: np.random.PCG64, count: int) -> Floats:
            return _weighted(rows, count, lambda lines: _choices(bits, lines, n))

    return _blocks(draw, resamples, seed, _BOOTSTRAP)


def swapped_sums(a: Floats, b: Floats, resamples: int, seed: int, *, grouped: bool | None = None) -> Swapped:
    """Return the sums of two systems when each row is swapped between them with chance 1/2, many times over.

    Rows of `a` and `b` belong to the same items. Rows that are equal in both need no draw. `grouped` and
    errors are as for `bootstrap_sums`.
    """
    _expect(a, resamples, seed)
    moved = b - a
    moved = moved[(moved != 0).any(axis=1)]
    first, second = a.sum(axis=0), b.sum(axis=0)
    if not len(moved):
        return Swapped(*(np.broadcast_to(sums, (resamples, len(sums))) for sums in (first, second)))
    kinds = _kinds(moved)
    n = len(moved)
    if grouped if grouped is not None else len(kinds.rows) * _BINOMIAL_COST <= n:
        times = kinds.times.astype(np.int64)

        def draw(bits: np.random.PCG64, count: int) -> Floats:
            drawn = np.random.Generator(bits).binomial(times, 0.5, size=(count, len(times)))
            return drawn.astype(np.float64) @ kinds.rows
    else:

        def draw(bits: np.random.PCG64, count: int) -> Floats:
            return _weighted(moved, count, lambda lines: _coins(bits, lines, n))

    change = _blocks(draw, resamples, seed, _RANDOMISATION)
    return Swapped(first + change, second - change)


def _expect(rows: Floats, resamples: int, seed: int) -> None:
    if not len(rows):
        raise UsageError("there are no items to resample")
    if resamples < 1:
        raise UsageError(f"{resamples} resamples are asked for; at least 1 is needed, 10000 is usual")
    if seed < 0:
        raise UsageError(f"the seed is {seed}; it must be 0 or more")


def _blocks(draw: Callable[[np.random.PCG64, int], Floats], resamples: int, seed: int, purpose: int) -> Floats:
    """Stack blocks of draws. A last, shorter block is drawn whole, so that it is a prefix of a longer run's."""
    blocks = -(-resamples // BLOCK)
    drawn = [draw(np.random.PCG64(np.random.SeedSequence([seed, purpose, block])), BLOCK) for block in range(blocks)]
    return np.concatenate(drawn)[:resamples]


def _kinds(rows: Floats) -> _Kinds:
    """Return the distinct rows in the order of their first occurrence, and how often each occurs.

    That order, unlike a sorted one, stays when the columns of two systems change places: a test of A against
    B and of B against A see the same draws.
    """
    unique, first, times = np.unique(rows, axis=0, return_index=True, return_counts=True)
    order = np.argsort(first)
    return _Kinds(np.ascontiguousarray(unique[order]), times[order].astype(np.float64))


def _weighted(rows: Floats, count: int, weights: Callable[[int], np.ndarray]) -> Floats:
    """Return `count` sums of rows, each with its own weights.

    `weights(lines)` gives the next lines of weights, (lines, rows). So many are held at once as fit the cache;
    that keeps long data in bounded memory and changes no draw, since the lines come in order.
    """
    height = max(1, _CELLS // len(rows), _WIDE if rows.shape[1] >= _WIDE else 1)
    return np.concatenate(
        [weights(min(height, count - start)).astype(np.float64) @ rows for start in range(0, count, height)]
    )


def _choices(bits: np.random.PCG64, lines: int, n: int) -> np.ndarray:
    """Return how often each of n rows is drawn in n draws, (lines, n).

    A row number is the upper half of a 32-bit word times n; each line starts with a fresh 64-bit word.
    """
    words = bits.random_raw(lines * ((n + 1) // 2)).astype("<u8", copy=False).view("<u4")
    scaled = words.reshape(lines, -1)[:, :n].astype(np.uint64)
    scaled *= np.uint64(n)
    scaled >>= np.uint64(32)
    scaled += np.arange(0, lines * n, n, dtype=np.uint64)[:, None]
    return np.bincount(scaled.view(np.int64).ravel(), minlength=lines * n).reshape(lines, n)


def _coins(bits: np.random.PCG64, lines: int, n: int) -> np.ndarray:
    """Return fair bits as 0 and 1, (lines, n); each line starts with a fresh 64-bit word."""
    words = bits.random_raw(lines * ((n + 63) // 64)).astype("<u8", copy=False)
    return np.unpackbits(words.view(np.uint8).reshape(lines, -1), axis=1, count=n)
