"""95 % intervals of scores: delete-one-dialogue jackknife over stored counts.

The standard error is the delete-one-dialogue jackknife's (Efron and Stein 1981), with Student's t for so many
dialogues. Fractions are taken on the logit scale, so that no end leaves 0 to 1. At the edge, with fewer than five hits
or misses for what the sample is worth, the interval is Wilson's (1927) with that worth, value (1 - value) / error^2, in
place of n. With fewer than five dialogues there is none. Nothing is drawn: the same counts give the same ends.

**Shares**, hits by trials that each hit or miss (P@k, precision, recall), have the interval of a binomial share.
Where no dialogue holds two trials it lies half way between the two that Brown, Cai and DasGupta (2001) recommend,
Wilson's and Jeffreys'. Where dialogues hold several, it is Wilson's with the number of trials over their design effect
in place of n, as is usual in surveys (Kish 1965, Rao and Scott 1992, Korn and Graubard 1998): the jackknife's variance
over that of trials that stand alone. Few misses tell nothing of how alike they are, so the estimate is moderated, as
Smyth (2004) does with variances: it counts as hits x misses / trials, beside ten for the design effect of trials whose
correlation within a dialogue is .2. Student's t has the dialogues' degrees of freedom over the square of the
estimate's part in this (Satterthwaite 1946), and more where dialogues are short (Fisher 1925).

Ten and .2 were chosen with the table of `benchmarks/STATISTICS.md` in view; its cells also hold with .15 and anything
from 6 to 12. Computed over ten to a hundred dialogues of 2 to 20 trials and shares of .5 to .98, coverage is .94 to
.998 where trials are not alike, .91 to .97 at a correlation of .3, and .90 to .97 at .4.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from duologue.core.records import Score, Signature
from duologue.metrics.beta import beta_cut
from duologue.metrics.significance import FEWEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.metrics.counts import Counts, Floats, Metric

NORMAL = 1.959963984540054
"""Of the normal distribution, 97.5 % lie below."""
_EDGE = 5
"""Hits or misses below which a fraction is at the edge."""
_ALIKE = 0.2
"""Correlation of the trials of one dialogue that is taken for granted."""
_ALIKE_WORTH = 10.0
"""Hits x misses / trials from which what the dialogues say of that correlation counts for more."""
_BEYOND = 0.025
"""Of a distribution, beyond each end of the interval."""
_ROUNDING = 1e-9
"""Two ways to sum the same counts differ by less."""


class Interval(NamedTuple):
    """A score with its interval; both ends `None` where nothing can be said of chance."""

    value: float
    low: float | None
    high: float | None


def intervals(counts: Counts, metrics: Sequence[Metric[Any]]) -> tuple[Interval, ...]:
    """Return value and 95 % interval of each metric over dialogues, or over items where dialogues are not known.

    A metric that is not additive gets its value alone.
    """
    _, rows = counts.units()
    return tuple(
        _interval(metric, rows[:, counts.positions(metric.columns)], metric.value(counts))
        if metric.additive
        else Interval(metric.value(counts), None, None)
        for metric in metrics
    )


def within(value: float, low: float, high: float, scale: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of an interval cut to the scale of its score; around a value beyond it they stay as they are.

    >>> within(1.994, 1.987, 2.001, (0, 2))
    (1.987, 2)
    """
    lowest, highest = scale
    return (max(low, lowest), min(high, highest)) if lowest <= value <= highest else (low, high)


def scores(
    counts: Counts, metrics: Sequence[Metric[Any]], signature: Signature | None = None, *,
    values: Mapping[str, float] = MappingProxyType({}),
    ends: Mapping[str, tuple[float, float]] = MappingProxyType({}),
    undefined: float = math.nan,
) -> tuple[Score, ...]:  # fmt: skip
    """Return the scores of all items with their intervals, as a `Report` or `Slice` holds them.

    Each is signed with its own formula and the rest of `signature`. `values` are scores that are known better than from
    the counts, `ends` intervals of metrics that are not additive, both by name; `undefined` stands for a score of
    nothing, which has no interval.
    """
    signed = counts.sign(signature or Signature())
    counted = [metric for metric in metrics if metric.name not in values or {*metric.columns} <= {*counts.columns}]
    found = {metric.name: one for metric, one in zip(counted, intervals(counts, counted), strict=True)}
    made = []
    for metric in metrics:
        one = found.get(metric.name, Interval(math.nan, None, None))
        value = values.get(metric.name, one.value)
        low, high = one.low, one.high
        if metric.name in ends:
            low, high = within(value, *ends[metric.name], metric.bounds)
        if math.isnan(one.value) and metric.name in found:
            value, low, high = values.get(metric.name, undefined), None, None
        if low is not None and high is not None:
            low, high = min(low, value), max(high, value)  # the same sum may be rounded differently
        made.append(
            Score(
                name=metric.name,
                value=value,
                low=low,
                high=high,
                higher_is_better=metric.higher_is_better,
                signature=signed.of([metric.formula]),
                percent=metric.percent,
                note=metric.note,
            )
        )
    return tuple(made)


def student(freedom: float) -> float:
    """Return the value below which 97.5 % of Student's distribution lie (Abramowitz and Stegun 26.7.5).

    Within 0.002 of the true one from four degrees of freedom on.

    >>> round(student(9), 3)
    2.262
    """
    z = NORMAL
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / freedom + second / freedom**2 + third / freedom**3 + fourth / freedom**4


def wilson(value: float, n: float, deviations: float) -> tuple[float, float]:
    """Return Wilson's interval of a share of n.

    >>> [round(end, 3) for end in wilson(1.0, 20, 1.96)]
    [0.839, 1.0]
    """
    square = deviations**2
    middle = (value + square / (2 * n)) / (1 + square / n)
    half = deviations / (1 + square / n) * math.sqrt(value * (1 - value) / n + square / (4 * n**2))
    # at an end of the scale the sums above are that end, but for rounding that differs between machines
    low = 0.0 if value <= 0 else max(0.0, middle - half)
    return low, 1.0 if value >= 1 else min(1.0, middle + half)


def without_spread(value: float, n: float, deviations: float, scale: tuple[float, float]) -> tuple[float, float]:
    """Return an interval of a mean on a scale where all of n values are equal: Wilson's, as of a share of the scale.

    >>> [round(end, 2) for end in without_spread(3.0, 20, 1.96, (1, 5))]
    [2.2, 3.8]
    """
    low, high = scale
    start, end = wilson((value - low) / (high - low), n, deviations)
    return low + start * (high - low), low + end * (high - low)


def jeffreys(hits: float, n: float) -> tuple[float, float]:
    """Return Jeffreys' interval of a share of n; the end is 0 or 1 where all trials miss or hit.

    >>> [round(end, 3) for end in jeffreys(20, 20)]
    [0.883, 1.0]
    """
    a, b = hits + 0.5, n - hits + 0.5
    return 0.0 if hits <= 0 else beta_cut(_BEYOND, a, b), 1.0 if hits >= n else 1 - beta_cut(_BEYOND, b, a)


def share_ends(hits: Floats, trials: Floats, error: float) -> tuple[float, float]:
    """Return the interval of a share, from what each dialogue adds and the jackknife's standard error.

    Raises `ValueError` where nothing was tried.

    >>> [round(end, 3) for end in share_ends(np.ones(20), np.ones(20), 0.0)]
    [0.861, 1.0]
    """
    right, n = float(hits.sum()), float(trials.sum())
    if n <= 0:
        raise ValueError("no trials: a share of nothing has no interval")
    value = right / n
    if float(trials.max()) <= 1:
        (low, high), (lower, upper) = wilson(value, n, NORMAL), jeffreys(right, n)
        return (low + lower) / 2, (high + upper) / 2
    size = float(np.square(trials).sum()) / n  # trials of the dialogue that a trial is of, on the average
    told = n * value * (1 - value)
    part = told / (told + _ALIKE_WORTH)
    found = error**2 * (n - 1) / (value * (1 - value)) if told > 0 else 0.0
    effect = part * found + (1 - part) * (1 + _ALIKE * (size - 1))
    loss = part**2 * (1 - 1 / size)
    freedom = (int(np.count_nonzero(trials)) - 1) / loss if loss > 0 else math.inf
    return wilson(value, n / effect, student(max(freedom, FEWEST - 1)))


def _interval(metric: Metric[Any], rows: Floats, value: float) -> Interval:
    nothing = Interval(value, None, None)
    if len(rows) < FEWEST or not math.isfinite(value):
        return nothing
    with np.errstate(all="ignore"):  # a formula may divide by nothing once a dialogue is left out
        kept = metric.total(rows.sum(axis=0) - rows)
    kept = kept[np.isfinite(kept)]
    if len(kept) < FEWEST:
        return nothing
    error = _error(kept)
    if metric.share_of is not None:
        hits, trials = (rows[:, metric.columns.index(name)] for name in metric.share_of)
        if _are_counts(hits, trials):
            return _around(value, *share_ends(hits, trials, error))
    deviations = student(len(kept) - 1)
    if not metric.percent or not 0 <= value <= 1:
        return _around(value, *within(value, value - deviations * error, value + deviations * error, metric.bounds))
    if not 0 < value < 1 or error < _ROUNDING:
        return _around(value, *wilson(value, len(kept), NORMAL))
    worth = value * (1 - value) / error**2
    if min(value, 1 - value) * worth < _EDGE or not ((kept > 0) & (kept < 1)).all():
        return _around(value, *wilson(value, worth, deviations))
    middle, half = math.log(value / (1 - value)), deviations * _error(np.log(kept / (1 - kept)))
    return _around(value, 1 / (1 + math.exp(half - middle)), 1 / (1 + math.exp(-half - middle)))


def _are_counts(hits: Floats, trials: Floats) -> bool:
    """Whether these are trials that each hit or miss, and any at all."""
    whole = bool((hits == np.round(hits)).all() and (trials == np.round(trials)).all())
    return whole and bool(((hits >= 0) & (hits <= trials)).all()) and bool((trials > 0).any())


def _error(kept: Floats) -> float:
    """Return the jackknife's standard error from the values without each dialogue."""
    n = len(kept)
    return math.sqrt((n - 1) / n * float(np.square(kept - kept.mean()).sum()))


def _around(value: float, low: float, high: float) -> Interval:
    """Return the interval; an end that differs from the value by rounding alone is put on it."""
    ends = (value if abs(end - value) < _ROUNDING else end for end in (min(low, value), max(high, value)))
    return Interval(value, *ends)
