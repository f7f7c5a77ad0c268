"""Estimates with two-way intervals, and tests of pairs of systems corrected together (Holm 1979)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.metrics.intervals import without_spread
from duologue.metrics.significance import ALPHA
from duologue.metrics.student import student_cut, student_tail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.metrics.counts import Floats
    from duologue.ratings.two_way import Errors

NO_SPREAD = 1e-12
"""An error below this is that of values which are all equal."""


class Estimate(NamedTuple):
    """A value with its 95 % interval."""

    value: float
    low: float | None
    """`None` where there are too few items for an interval."""
    high: float | None


class PairTest(NamedTuple):
    """Two systems, tested against each other."""

    a: str
    b: str
    difference: float
    """A - B."""
    low: float | None
    high: float | None
    p: float
    """Two-sided, of this test alone; NaN: not tested."""
    p_adjusted: float
    """Corrected over all pairs."""

    @property
    def better(self) -> str | None:
        """The system that is shown to be better; `None` where no difference is shown."""
        if not self.p_adjusted < ALPHA:
            return None
        return self.a if self.difference > 0 else self.b


def estimate(value: float, errors: Errors, place: int, low: float, high: float) -> Estimate:
    """Return a value with its interval, whose ends stay within what is possible.

    Where all ratings are equal there is no error to be seen: the interval is then Wilson's for so many items.
    """
    error, freedom = float(errors.error[place]), float(errors.freedom[place])
    if not errors.enough:
        return Estimate(value, None, None)
    if error < NO_SPREAD:
        return Estimate(value, *without_spread(value, errors.items, student_cut(freedom), (low, high)))
    half = student_cut(freedom) * error
    return Estimate(value, max(low, value - half), min(high, value + half))


def difference_test(a: str, b: str, difference: float, errors: Errors) -> PairTest:
    """Return the test of one difference by itself."""
    error, freedom = float(errors.error[0]), float(errors.freedom[0])
    if not errors.enough:
        return PairTest(a, b, difference, None, None, math.nan, math.nan)
    if error < NO_SPREAD:  # each rating of one is so much above the other's: there is no spread to test by
        p = 1.0 if abs(difference) < NO_SPREAD else math.nan
        return PairTest(a, b, difference, None, None, p, p)
    half, p = student_cut(freedom) * error, student_tail(difference / error, freedom)
    return PairTest(a, b, difference, difference - half, difference + half, p, p)


def corrected(tests: Sequence[PairTest]) -> tuple[PairTest, ...]:
    """Return the tests with Holm's correction over those that were made."""
    adjusted = holm(np.array([one.p for one in tests]))
    return tuple(one._replace(p_adjusted=float(p)) for one, p in zip(tests, adjusted, strict=True))


def holm(p: Floats) -> Floats:
    """Return p-values corrected by Holm's step-down rule; NaN stays, and is not counted.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    found = np.full(len(p), np.nan)
    order = [place for place in np.argsort(p, kind="stable") if not math.isnan(p[place])]
    least = 0.0
    for done, place in enumerate(order):
        least = max(least, min(1.0, float(p[place]) * (len(order) - done)))
        found[place] = least
    return found
