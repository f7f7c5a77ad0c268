"""Errors of estimates from ratings when both the items and the raters are a sample of those there could be.

An estimate is a sum over ratings of what each contributes (its influence). Its variance is what items contribute, plus
what raters contribute, less what single answers of single raters contribute, which is in both (Cameron, Gelbach and
Miller 2011), and never less than the greater of the first two. Student's t has the degrees of freedom of Satterthwaite
(1946), where raters who rated more than others count for fewer. One way alone, the usual habit, takes ratings of one
rater, or of one item, for so many independent ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.metrics.significance import FEWEST
from duologue.metrics.student import student_cuts

if TYPE_CHECKING:
    from duologue.metrics.counts import Floats
    from duologue.ratings.table import Integers

MIN_RATERS = 3
"""With fewer raters nothing is known of others: intervals speak of these raters alone."""


class Errors(NamedTuple):
    """Standard errors of some estimates over the same ratings."""

    error: Floats
    """(estimates,)."""
    freedom: Floats
    """Degrees of freedom of Student's t, at least 1."""
    items: int
    raters: int

    @property
    def both_ways(self) -> bool:
        """Whether the errors speak of other raters too, not only of other items."""
        return self.raters >= MIN_RATERS

    @property
    def enough(self) -> bool:
        """Whether there are items enough for an interval."""
        return self.items >= FEWEST

    def half(self, level: float = 0.05) -> Floats:
        """Return half the width of the intervals."""
        return student_cuts(self.freedom, level) * self.error


def two_way_errors(
    item: Integers, rater: Integers, influence: Floats, extra: tuple[Integers, Floats] | None = None
) -> Errors:
    """Return the errors of estimates from their influences, (ratings, estimates).

    No rater rates an item twice, or the influences of such ratings belong together (of two systems). `extra` are items
    with influences of a judge, who is no sample of judges: they count by item alone.
    """
    own, loads = _sums(item, influence)
    items, of_items = own.labels, own.sums
    cells = _sums(item * (int(rater.max(initial=0)) + 1) + rater, influence)[0].sums
    by_rater, work = _sums(rater, influence)
    if extra is not None:
        joined, _ = _sums(np.concatenate([item, extra[0]]), np.concatenate([influence, extra[1]]))
        items, of_items = joined.labels, joined.sums
    variance_items, freedom_items = _variance(of_items), _effective(loads) - 1
    n, raters = len(items), len(by_rater.labels)
    if raters < MIN_RATERS:
        return Errors(np.sqrt(variance_items), np.full(influence.shape[1], max(freedom_items, 1.0)), n, raters)
    variance_raters, freedom_raters = _variance(by_rater.sums), _effective(work) - 1
    variance = variance_items + variance_raters - _variance(cells)
    variance = np.maximum(variance, np.maximum(variance_items, variance_raters))
    below = variance_items**2 / max(freedom_items, 1e-9) + variance_raters**2 / max(freedom_raters, 1e-9)
    freedom = np.divide(variance**2, below, out=np.ones_like(variance), where=below > 0)
    return Errors(np.sqrt(variance), np.maximum(freedom, 1.0), n, raters)


class _Sums(NamedTuple):
    labels: Integers
    sums: Floats


def _sums(labels: Integers, influence: Floats) -> tuple[_Sums, Floats]:
    """Return the sums of the influences with the same label, and how many there are of each."""
    if np.any(labels[1:] < labels[:-1]):
        order = np.argsort(labels, kind="stable")
        labels, influence = labels[order], influence[order]
    known, starts, times = np.unique(labels, return_index=True, return_counts=True)
    return _Sums(known, np.add.reduceat(influence, starts, axis=0)), times.astype(np.float64)


def _variance(sums: Floats) -> Floats:
    n = len(sums)
    found: Floats = np.square(sums).sum(axis=0) * (n / (n - 1) if n > 1 else 1.0)
    return found


def _effective(loads: Floats) -> float:
    """Return of how many equally busy ones these are worth."""
    return float(loads.sum() ** 2 / np.square(loads).sum())
