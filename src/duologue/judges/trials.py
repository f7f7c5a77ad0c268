"""Figures of a judge's trials: shares and effects, each with its 95 % interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.metrics.intervals import NORMAL, wilson
from duologue.ratings.contrasts import estimate
from duologue.ratings.two_way import two_way_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

_NOTHING = 1e-12


class TrialFigure(NamedTuple):
    """A figure of so many items."""

    value: float | None
    """`None` without an item."""
    low: float | None
    """Lower end of the 95 % interval; `None` where there are too few items."""
    high: float | None
    n: int


def share(hits: int, n: int) -> TrialFigure:
    """Return a share of independent items with Wilson's interval.

    >>> share(3, 10).value, share(0, 0)
    (0.3, TrialFigure(value=None, low=None, high=None, n=0))
    """
    if not n:
        return TrialFigure(None, None, None, 0)
    return TrialFigure(hits / n, *wilson(hits / n, n, NORMAL), n)


def mean_of(values: Sequence[float], low: float, high: float) -> TrialFigure:
    """Return the mean of values between `low` and `high`, one for each item, with Student's interval.

    Where all values are equal nothing tells how sure that is, and there is no interval.
    """
    n = len(values)
    if not n:
        return TrialFigure(None, None, None, 0)
    found = np.array(values, dtype=np.float64)
    mean = float(found.mean())
    if float(np.ptp(found)) < _NOTHING:
        return TrialFigure(mean, None, None, n)
    errors = two_way_errors(np.arange(n), np.zeros(n, dtype=np.int64), ((found - mean) / n)[:, None])
    return TrialFigure(*estimate(mean, errors, 0, low, high), n)
