"""How well raters agree, each coefficient with its 95 % interval, and in a sentence why one is not defined.

Intervals are by the delete-one-item jackknife on the scale of log(1 - coefficient), the ratio of observed to expected
disagreement, with Student's t, around the value less the bias that few items give it: no end is above 1. All answers
to one item are left out together. Intervals speak of these raters and other items.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.metrics.intervals import student
from duologue.metrics.significance import FEWEST
from duologue.ratings.coefficients import COEFFICIENTS, WeightedKappa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.metrics.counts import Floats
    from duologue.ratings.coefficients import Coefficient
    from duologue.ratings.protocol import Criterion
    from duologue.ratings.table import RatingTable, UnitTable

_ROUNDING = 1e-12
_MAX_PAIRS = 10_000_000
"""Cells of the tables of all pairs of raters by item, at most."""
_CELLS = 2_000_000
"""Numbers that are worked on at once."""


class Agreement(NamedTuple):
    """One coefficient of agreement on one criterion."""

    name: str
    value: float | None
    """`None` where it is not defined."""
    low: float | None
    """Lower end of the 95 % interval; `None` where there is none."""
    high: float | None
    units: int
    """Answers that two raters or more rated (all raters, for ICC)."""
    raters: int
    why: str = ""
    """Why there is no value or no interval, in a sentence; empty where there are both."""


def agreement(
    units: UnitTable, criterion: Criterion, coefficients: Sequence[Coefficient] = COEFFICIENTS
) -> tuple[Agreement, ...]:
    """Return the agreement of raters on one criterion."""
    return tuple(_of(units, criterion, one) for one in coefficients)


def agreement_with_judge(
    people: RatingTable, judge: RatingTable, criterion: int, scale: Criterion, coefficient: Coefficient | None = None
) -> Agreement:
    """Return the agreement (by default quadratic kappa) of each human rating with the judge's of the same answer.

    Both tables have the same criteria. The judge's fractions are rounded to the nearest point; where it rated an
    answer several times, their mean is.
    """
    scores = judge_scores(judge, criterion)
    kept = people.criterion == criterion
    names = [(people.items[i], people.systems[s]) for i, s in zip(people.item[kept], people.system[kept], strict=True)]
    judged = np.array([scores.get(name, math.nan) for name in names], dtype=np.float64)
    known = ~np.isnan(judged)
    pairs = np.column_stack([people.value[kept][known], np.floor(judged[known] + 0.5)])
    return _of_values(
        pairs, people.item[kept][known], scale, coefficient or WeightedKappa("quadratic"), "people and the judge"
    )


def judge_scores(judge: RatingTable, criterion: int) -> dict[tuple[str, str], float]:
    """Return the judge's mean score of each answer, by item and system."""
    units = judge.units(criterion)
    means = np.nanmean(units.values, axis=1) if len(units.values) else np.zeros(0)
    return {
        (judge.items[item], judge.systems[system]): float(mean)
        for item, system, mean in zip(units.item, units.system, means, strict=True)
    }


def _of(units: UnitTable, criterion: Criterion, coefficient: Coefficient) -> Agreement:
    return _of_values(units.values, units.item, criterion, coefficient, "two raters")


def _of_values(
    values: Floats, items: Floats | np.ndarray, criterion: Criterion, coefficient: Coefficient, who: str
) -> Agreement:
    raters = values.shape[1]
    rated = (~np.isnan(values)).sum(axis=1)
    needed = raters if coefficient.complete else 2
    kept = rated >= max(2, needed)
    n = int(kept.sum())

    def undefined(why: str) -> Agreement:
        return Agreement(coefficient.name, None, None, None, n, raters, why)

    if raters < 2:
        return undefined(f"there is {raters} rater, and agreement takes two")
    if not (rated >= 2).any():
        return undefined(f"no answer was rated by {who}, so nothing can be compared")
    if n < 2:
        whom = f"all {raters} raters" if coefficient.complete else who
        return undefined(f"{n} of {len(values):,} answers were rated by {whom}, and it takes two of them")
    found = values[kept if coefficient.complete else rated >= 1] - criterion.low
    groups = items[kept if coefficient.complete else rated >= 1]
    given = np.unique(values[kept][~np.isnan(values[kept])])
    if len(given) == 1:
        return undefined(f"all ratings are {given[0]:g}: without differences, agreement is that of chance")
    cells = math.comb(raters, 2) * criterion.points**2 * len(np.unique(groups))
    if isinstance(coefficient, WeightedKappa) and cells > _MAX_PAIRS:
        return undefined(f"{raters} raters make too many pairs; alpha takes them all at once")
    sums = _by_item(coefficient, found, groups, criterion.points)
    value = float(coefficient.total(sums.sum(axis=0), criterion.points))
    if not math.isfinite(value):
        return undefined("one of the raters gives everything the same point: what chance would do is not defined")
    low, high, why = _interval(sums, coefficient, criterion.points, value)
    return Agreement(coefficient.name, value, low, high, n, raters, why)


def _by_item(coefficient: Coefficient, units: Floats, items: np.ndarray, points: int) -> Floats:
    """Return the sums of the units of each item, (items, K)."""
    known, places = np.unique(items, return_inverse=True)
    width = coefficient.sums(units[:1], points).shape[1]
    each = np.zeros((len(known), width))
    step = max(1, _CELLS // max(1, width))
    for start in range(0, len(units), step):
        np.add.at(each, places[start : start + step], coefficient.sums(units[start : start + step], points))
    return each


def _interval(
    sums: Floats, coefficient: Coefficient, points: int, value: float
) -> tuple[float | None, float | None, str]:
    """Return the ends of the interval, or why there are none."""
    if len(sums) < FEWEST:
        return None, None, f"there are too few items ({len(sums)}) for an interval; it takes {FEWEST}"
    whole, step = sums.sum(axis=0), max(1, _CELLS // max(1, sums.shape[1]))
    parts = [coefficient.total(whole - sums[start : start + step], points) for start in range(0, len(sums), step)]
    kept = np.concatenate(parts)
    kept = kept[np.isfinite(kept)]
    if len(kept) < FEWEST:
        return None, None, "without any one of the items it is hardly ever defined, so there is no interval"
    if value > 1 - _ROUNDING or (kept > 1 - _ROUNDING).any() or np.ptp(kept) < _ROUNDING:
        return None, None, "so few ratings differ that leaving out an item does not tell how sure this is"
    logs = np.log1p(-kept)
    n = len(logs)
    half = student(n - 1) * math.sqrt((n - 1) / n * float(np.square(logs - logs.mean()).sum()))
    middle = n * math.log1p(-value) - (n - 1) * float(logs.mean())  # without the bias of few items
    return min(value, 1 - math.exp(middle + half)), max(value, 1 - math.exp(middle - half)), ""
