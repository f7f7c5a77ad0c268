"""How many items a plan takes, found by simulating campaigns: no more of them than it takes to tell.

Whether a plan finds often enough what it looks for is mostly plain after a few dozen campaigns; only plans at the edge
need all of them (a sequential test of a binomial share).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from duologue.metrics.significance import FEWEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy.typing as npt

    from duologue.metrics.counts import Floats

POWER = 0.8
"""The chance with which what is planned for is to be found."""
DRAWS = 2_000
"""Simulated campaigns: their share is within 1.8 points of the power they estimate, 19 times in 20."""
_PLAIN = 3.5
"""Standard errors from which on a share is plainly above or below the one that is wanted."""
_HALVINGS = 60


def often_enough(shown: Iterable[npt.NDArray[np.bool_]], wanted: float = POWER) -> bool:
    """Return whether the share `wanted` of campaigns shows what is looked for.

    `shown` are batches of simulated campaigns; no further one is asked for where the answer is plain.

    >>> often_enough(np.array([False] * 50) for _ in iter(int, 1))
    False
    """
    n = hits = 0
    for batch in shown:
        n += len(batch)
        hits += int(batch.sum())
        if abs(hits - wanted * n) > _PLAIN * math.sqrt(n * wanted * (1 - wanted)):
            break
    return hits >= wanted * n


def least_items(enough: Callable[[int], bool], limit: int) -> int | None:
    """Return how many items are enough, to 2 %, and at least `FEWEST`; `None` where `limit` are not."""
    high = FEWEST
    while not enough(high):
        if high >= limit:
            return None
        high = min(2 * high, limit)
    low = high // 2
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def detectable(noise: Floats, needed: Floats, wanted: float = POWER) -> float:
    """Return the least true difference that is shown with the chance `wanted`.

    `noise` are the differences that simulated campaigns find beside it, `needed` how far from 0 each must find one to
    show it, (campaigns,).
    """
    most = float(np.abs(noise).max() + needed.max())
    return inverse(lambda true: float((np.abs(noise + true) > needed).mean()), wanted, most)


def inverse(function: Callable[[float], float], value: float, limit: float) -> float:
    """Return the least number from 0 to `limit` at which a growing function has reached a value.

    >>> round(inverse(lambda x: x * x, 2, 5), 12)
    1.414213562373
    """
    low, high = 0.0, limit
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if function(middle) >= value else (middle, high)
    return high
