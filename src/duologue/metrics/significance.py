"""How sure a score is, and whether one system is really better than another.

Intervals are percentile bootstrap intervals (Efron and Tibshirani 1993, section 13.3). Paired tests are the
paired bootstrap (Koehn 2004; two-sided, centred as in sacreBLEU) and paired approximate randomisation
(Noreen 1989; Riezler and Maxwell 2005), corrected over a family of tests after Holm (1979). All work on
stored counts and never look at an answer again; all are deterministic for a seed (`resampling` says how).
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from duologue.core.errors import UsageError
from duologue.core.records import Score
from duologue.metrics.resampling import bootstrap_sums, swapped_sums

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.metrics.counts import Counts, Floats, Metric

RESAMPLES = 10_000
LEVEL = 0.95
_TIE = 1e-12
"""Differences closer than this are equal: two sums may round differently."""


_VALUES_ONLY: ContextVar[bool] = ContextVar("values_only", default=False)


@contextmanager
def values_only() -> Iterator[None]:
    """Leave the intervals out of all scores made inside the block.

    For who scores many files and then resamples all of them together, which is cheaper than one by one: a board.
    """
    token = _VALUES_ONLY.set(True)
    try:
        yield
    finally:
        _VALUES_ONLY.reset(token)


class Interval(NamedTuple):
    """A score with its percentile bootstrap interval, all fractions."""

    value: float
    low: float
    high: float


class Paired(NamedTuple):
    """The outcome of the paired tests of system A against system B on one score, all fractions."""

    name: str
    a: float
    b: float
    difference: float
    """A - B."""
    low: float
    """Ends of the bootstrap interval of the difference."""
    high: float
    p_bootstrap: float
    p_randomisation: float


def bootstrap(
    counts: Counts,
    metrics: Sequence[Metric[Any]],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> tuple[Interval, ...]:
    """Return value and percentile interval of each metric; all share the same resamples.

    Items are drawn, or whole dialogues when `counts` has groups. Where all items agree the interval has no
    width: the bootstrap cannot see what did not happen. Raises `UsageError` for no items, a metric that is not
    additive, or a level outside 0 to 1.
    """
    _expect(metrics, level)
    _, rows = counts.units()
    sums = bootstrap_sums(rows, resamples, seed)
    found = []
    for metric in metrics:
        columns = counts.positions(metric.columns)
        low, high = middle_of(metric.total(sums[:, columns]), level)
        found.append(Interval(metric.value(counts), low, high))
    return tuple(found)


def scores(
    counts: Counts,
    metrics: Sequence[Metric[Any]],
    *,
    seed: int,
    signature: str = "",
    resamples: int = RESAMPLES,
) -> tuple[Score, ...]:
    """Return the scores of all items with 95 % intervals, as a `Report` or `Slice` holds them.

    A metric that is not additive gets its value without an interval, and inside `values_only` every metric does.
    Raises `UsageError` for no items.
    """
    additive = [metric for metric in metrics if metric.additive and not _VALUES_ONLY.get()]
    intervals = dict(
        zip(
            [metric.name for metric in additive],
            bootstrap(counts, additive, seed=seed, resamples=resamples) if additive else (),
            strict=True,
        )
    )
    return tuple(
        Score(
            name=metric.name,
            value=metric.value(counts),
            low=intervals[metric.name].low if metric.name in intervals else None,
            high=intervals[metric.name].high if metric.name in intervals else None,
            higher_is_better=metric.higher_is_better,
            signature=signature,
            percent=metric.percent,
        )
        for metric in metrics
    )


def paired_tests(
    a: Counts,
    b: Counts,
    metrics: Sequence[Metric[Any]],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> tuple[Paired, ...]:
    """Test A against B on each metric, with the paired bootstrap and paired approximate randomisation.

    Both p-values are two-sided and at least 1 / (1 + resamples); equal systems get 1. Exchanging A and B
    changes the sign of the difference and nothing else. Items are matched by id, whatever their order. Raises
    `UsageError` when the items, their groups or the columns differ, and as `bootstrap` does.
    """
    _expect(metrics, level)
    _, rows_a, rows_b = _match(a, b)
    width = len(a.columns)
    drawn = bootstrap_sums(np.hstack([rows_a, rows_b]), resamples, seed)
    swapped = swapped_sums(rows_a, rows_b, resamples, seed)
    found = []
    for metric in metrics:
        columns = a.positions(metric.columns)
        here, there = metric.value(a), metric.value(b)
        difference = here - there
        boot = metric.total(drawn[:, columns]) - metric.total(drawn[:, [width + column for column in columns]])
        swap = metric.total(swapped.first[:, columns]) - metric.total(swapped.second[:, columns])
        low, high = middle_of(boot, level)
        found.append(
            Paired(
                name=metric.name,
                a=here,
                b=there,
                difference=difference,
                low=low,
                high=high,
                p_bootstrap=p_value(boot - difference, difference),
                p_randomisation=p_value(swap, difference),
            )
        )
    return tuple(found)


def middle_of(drawn: Floats, level: float = LEVEL) -> tuple[float, float]:
    """Return the ends of the middle of values that were drawn, those that are NaN left out; NaN where all are."""
    tail = (1 - level) / 2
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return math.nan, math.nan
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)


def p_value(chance: Floats, difference: float) -> float:
    """Return (1 + c) / (1 + B): c of the B differences made by chance are at least as large as the one found.

    Two-sided: signs do not matter. Never 0, since the observed case is one of the possible ones. A difference that is
    not known (NaN) counts as large when it is made by chance, and has 1 when it is the one found: it shows nothing.
    """
    beyond = int(np.count_nonzero(~(np.abs(chance) < abs(difference) - _TIE)))
    return (1 + beyond) / (1 + len(chance))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values corrected for testing all of them at once (Holm 1979), in the same order.

    A corrected value below 0.05 keeps the chance of even one false alarm in the family below 5 %.

    >>> holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [1.0] * len(p_values)
    floor = 0.0
    for place, index in enumerate(order):
        floor = max(floor, min(1.0, (len(p_values) - place) * p_values[index]))
        corrected[index] = floor
    return tuple(corrected)


def _expect(metrics: Sequence[Metric[Any]], level: float) -> None:
    refused = [metric.name for metric in metrics if not metric.additive]
    if refused:
        raise UsageError(
            f"'{refused[0]}' is not a formula over sums of counts (the counts of two items are not the counts of both "
            f"together), so drawing items again would give a wrong interval; leave it out, or give it a resampling "
            f"of its own"
        )
    if not 0 < level < 1:
        raise UsageError(f"the level is {level}; it is a share between 0 and 1, such as 0.95")


def _match(a: Counts, b: Counts) -> tuple[tuple[str, ...], Floats, Floats]:
    """Return the drawn units of both in one order. Raises `UsageError` naming what differs."""
    if a.columns != b.columns:
        raise UsageError(f"A counts {', '.join(a.columns)}; B counts {', '.join(b.columns)}: they cannot be paired")
    extra, lacking = sorted(set(a.ids) - set(b.ids)), sorted(set(b.ids) - set(a.ids))
    if extra or lacking:
        parts = [
            f"{len(names)} only in {side} (first '{names[0]}')"
            for names, side in ((extra, "A"), (lacking, "B"))
            if names
        ]
        raise UsageError(
            f"a paired test needs the same items in both: {len(set(a.ids) & set(b.ids))} are shared, "
            f"{', '.join(parts)}; score both systems on the same test file"
        )
    if dict(zip(a.ids, a.groups or a.ids, strict=True)) != dict(zip(b.ids, b.groups or b.ids, strict=True)):
        raise UsageError("A and B put their items into different dialogues; both must be grouped alike")
    names, rows_a = a.units()
    _, rows_b = b.units()
    return names, rows_a, rows_b
