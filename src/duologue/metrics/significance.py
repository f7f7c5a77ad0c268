"""Whether systems really differ: paired randomisation tests of a family, on counts that are stored already.

The hypothesis of a test is that two systems are exchangeable: each dialogue's pair of outputs could as well stand the
other way round. So whole dialogues are swapped by fair coins (Noreen 1989), sums are totalled again, and a difference
is rare when few swaps give one as large. With at most twelve dialogues that differ all swaps are gone through.

All tests of a family share the coins, so that their dependence is kept, and are corrected together by the step-down
maximum statistic (Westfall and Young 1993, Romano and Wolf 2005) of |difference| / its standard deviation over the
swaps. An adjusted p below 0.05 keeps the chance of even one false alarm in the family below 5 %. The interval of a
difference is the set of differences that the same test at the same threshold would not refuse, and the detectable
difference is what that threshold finds with a chance of 80 %: neither can disagree with the verdict.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from duologue.core.errors import UsageError
from duologue.metrics.resampling import BLOCK, FEW, CoinSums

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from duologue.metrics.counts import Counts, Floats, Metric

    Booleans = NDArray[np.bool_]
    Integers = NDArray[np.int64]

ALPHA = 0.05
"""An adjusted p-value below this is called a difference."""
SEED = 1
"""Of every test, unless a user asks for another; that of the command line."""
ROUNDS = 10_000
"""Swaps to begin with."""
FEWEST = 5
"""With fewer dialogues there is no interval: nothing can be said of chance."""

_LONGER, _LIMIT = 4, 16
"""Rounds grow so many times while a p-value is too near to call, up to so many times the first ones."""
_ERRORS = 3.0
"""Nearer to 0.05 than so many of its standard errors, a p-value is too near to call."""
_WORK = 4e11
"""Coins times columns beyond which rounds do not grow."""
_TOTALS = 4e8
"""The same of tests times swaps, those of a formula that must be totalled anew counting sixteen."""
_SCALING = 2_000
"""Swaps from which a difference's standard deviation is taken."""
_ANEW = 16
_TIE = 1e-9
"""By so much two equal statistics may differ by rounding, or by this share where they are above 1."""
_EQUAL = 1e-12
"""Differences closer to 0 than this are none."""
_POWER = 0.8416212335729143
"""Of the normal distribution, 80 % lie below."""
_NORMAL = 1.959963984540054
"""Of the normal distribution, 97.5 % lie below."""


class Contrast(NamedTuple):
    """One test to be made: two systems, by their places, on one score."""

    a: int
    b: int
    metric: Metric[Any]


class PairedTest(NamedTuple):
    """The outcome of one test of system A against system B, all fractions."""

    name: str
    """Of the score."""
    a: float
    b: float
    difference: float
    """A - B; NaN where one of the two has no value, and then nothing was tested."""
    low: float
    """Ends of the interval of the difference at the family's threshold; NaN where there is none."""
    high: float
    p: float
    """Two-sided, of this test alone; NaN: not tested."""
    p_adjusted: float
    """Corrected over the family; NaN: not tested."""
    detectable: float
    """The true difference that the family's threshold finds with a chance of 80 %; NaN where there is none."""

    @property
    def differs(self) -> bool:
        """Whether a difference is shown."""
        return self.p_adjusted < ALPHA


class PairedFamily(NamedTuple):
    """Tests that were corrected together."""

    tests: tuple[PairedTest, ...]
    """In the order of the contrasts."""
    size: int
    """How many were made; the others have nothing to test."""
    rounds: int
    """Swaps that were made, or all there are."""
    exact: bool
    """Whether all swaps were gone through."""
    dialogues: int
    """Dialogues, or items where dialogues are not known."""


def paired_tests(
    systems: Sequence[Counts], contrasts: Sequence[Contrast], *, seed: int = SEED, rounds: int = ROUNDS
) -> PairedFamily:
    """Test systems against each other as one family.

    Exchanging A and B changes the sign of the difference and nothing else, and neither the order of the items nor that
    of the contrasts matters. Items are matched by id. Raises `UsageError` for items, dialogues or columns that
    differ, no items, a metric that is not additive, fewer than 100 rounds or a negative seed.
    """
    _expect(contrasts, rounds)
    table = _Table(_matched(systems), contrasts)
    sums = CoinSums(table.moved, seed)
    exact = len(sums.rows) <= FEW
    found = _Draws(table, sums, exact=exact).until_clear(rounds)
    return PairedFamily(
        tests=tuple(_outcome(table, found, place) for place in range(len(contrasts))),
        size=int(found.tested.sum()),
        rounds=found.rounds,
        exact=exact,
        dialogues=table.n,
    )


def compare_two(
    a: Counts, b: Counts, metrics: Sequence[Metric[Any]], *, seed: int = SEED, rounds: int = ROUNDS
) -> PairedFamily:
    """Test A against B on several scores as one family; otherwise as `paired_tests`."""
    return paired_tests([a, b], [Contrast(0, 1, metric) for metric in metrics], seed=seed, rounds=rounds)


class _Group(NamedTuple):
    """The contrasts on one score."""

    metric: Metric[Any]
    columns: list[int]
    places: Integers
    a: Integers
    b: Integers
    slope: tuple[int, float] | None
    """As `_Table._slope` gives it."""


class _Table:
    """What the tests of a family look at: sums of all systems, and what a swap moves."""

    def __init__(self, systems: Sequence[Counts], contrasts: Sequence[Contrast]) -> None:
        columns = list(dict.fromkeys(name for one in contrasts for name in one.metric.columns))
        rows = np.stack([one.units()[1][:, one.positions(columns)] for one in systems])  # (systems, units, columns)
        self.n = rows.shape[1]
        self.contrasts = contrasts
        self.columns = columns
        self._sums = rows.sum(axis=1)
        moved = rows[1:] - rows[:1]
        self._varies = np.flatnonzero((moved != 0).any(axis=1).ravel())
        self.moved: Floats = np.ascontiguousarray(moved.transpose(1, 0, 2).reshape(self.n, -1)[:, self._varies])
        """Per unit, by how much each system's counts exceed those of the first, where any do."""
        self.values = [(one.metric.value(systems[one.a]), one.metric.value(systems[one.b])) for one in contrasts]
        self.difference = np.array([a - b for a, b in self.values])
        self._groups = [self._group(places) for places in self._places_by_metric()]
        self.cost = sum(len(one.places) * (1 if one.slope else _ANEW) for one in self._groups)
        """Of one swap, in tests whose differences are those of straight lines."""

    def _places_by_metric(self) -> list[list[int]]:
        found: dict[int, list[int]] = {}
        for place, one in enumerate(self.contrasts):
            found.setdefault(id(one.metric), []).append(place)
        return list(found.values())

    def _group(self, places: list[int]) -> _Group:
        metric = self.contrasts[places[0]].metric
        columns = [self.columns.index(name) for name in metric.columns]
        return _Group(
            metric,
            columns,
            np.array(places),
            np.array([self.contrasts[place].a for place in places]),
            np.array([self.contrasts[place].b for place in places]),
            self._slope(metric, columns),
        )

    def differences(self, moved: Floats) -> Floats:
        """Return the difference of each contrast after swaps that move these sums, (contrasts, swaps)."""
        systems, width = self._sums.shape
        shift = np.zeros((len(moved), systems - 1, width))
        shift.reshape(len(moved), -1)[:, self._varies] = moved
        shift = np.concatenate([np.zeros((len(moved), 1, width)), shift], axis=1)
        found = np.empty((len(self.contrasts), len(moved)))
        for metric, columns, places, a, b, slope in self._groups:
            if slope is not None:
                column, factor = slope
                each = np.ascontiguousarray((factor * (self._sums[:, column] - 2 * shift[:, :, column])).T)
                found[places] = each[a] - each[b]
            else:
                change = shift[:, b][..., columns] - shift[:, a][..., columns]
                found[places] = metric.total(self._sums[a][:, columns] + change).T
                found[places] -= metric.total(self._sums[b][:, columns] - change).T
        return found

    def _slope(self, metric: Metric[Any], columns: list[int]) -> tuple[int, float] | None:
        """Return the one column that differs between systems and by how much a unit of it raises the score.

        `None` where more than one differs or the score is no straight line of it. A mean over the same items is one,
        and then the differences of a thousand pairs are those of fifty numbers.
        """
        width = self._sums.shape[1]
        varying = sorted({int(one) % width for one in self._varies} & set(columns))
        if len(varying) != 1 or len(self._sums) < 3:
            return None
        (column,) = varying
        steps = np.array([0.0, 0.2, 0.5, 0.7, 1.0])
        low, high = self._sums[:, column].min() - 1, self._sums[:, column].max() + 1
        trial = np.repeat(self._sums[:1], len(steps), axis=0)
        trial[:, column] = low + steps * (high - low)
        told = metric.total(trial[:, columns])
        line = told[0] + steps * (told[-1] - told[0])
        if not np.allclose(told, line, rtol=1e-12, atol=0):
            return None
        return column, float(told[-1] - told[0]) / (high - low)


class _Found(NamedTuple):
    """What came of all swaps."""

    tested: Booleans
    spread: Floats
    """Per contrast the standard deviation of its difference over the swaps."""
    p: Floats
    adjusted: Floats
    critical: float
    """The threshold of the whole family, in standard deviations."""
    last: float
    """The threshold of those tests that are left when all that differ are taken out."""
    rounds: int
    resolved: bool
    """Whether any outcome at all could have been a difference."""


class _Draws:
    """Goes through swaps and counts how often they give a difference as large as the one found."""

    def __init__(self, table: _Table, sums: CoinSums, *, exact: bool) -> None:
        self._table = table
        self._sums = sums
        self._exact = exact
        blocks = [block.T for block in self._blocks(0, _SCALING // BLOCK)]
        first = np.ascontiguousarray(np.concatenate(blocks))  # the order in memory is that of the sums
        known = np.where(np.isnan(first), 0.0, first)
        times = np.maximum((~np.isnan(first)).sum(axis=0), 1)
        self._spread = np.sqrt(np.square(known).sum(axis=0) / times)
        difference = table.difference
        self._known = ~np.isnan(difference)
        self._tested = self._known & (self._spread > _EQUAL)
        scale = np.where(self._tested, self._spread, 1.0)
        self._found = np.where(self._tested, np.abs(difference) / scale, 0.0)
        places = np.flatnonzero(self._tested)
        self._order = places[np.lexsort((places, self._found[places]))]  # the smallest first
        self._limits = _just_below(self._found[self._order])
        self._alone = np.zeros(len(self._order))
        self._beyond = np.zeros(len(self._order))
        self._highest: list[Floats] = []
        self._rounds = 0

    def _blocks(self, start: int, stop: int) -> Iterator[Floats]:
        """Yield the differences after swaps, (contrasts, swaps), block by block; all there are where they are few."""
        if self._exact:
            yield self._table.differences(self._sums.every())
            return
        for number in range(start, stop):
            yield self._table.differences(self._sums.block(number))

    def until_clear(self, rounds: int) -> _Found:
        """Count, with four times as many swaps while a p-value is too near to 0.05 to call."""
        blocks, stop = -(-rounds // BLOCK), 0
        limit = blocks * _LIMIT
        while True:
            start, stop = stop, blocks
            for block in self._blocks(start, stop):
                self._add(block)
            result = self._result()
            near = _ERRORS * math.sqrt(ALPHA * (1 - ALPHA) / max(1, self._rounds))
            more = float(blocks * _LONGER * BLOCK)
            costly = more * self._sums.rows.size > _WORK or more * self._table.cost > _TOTALS
            unclear = bool((np.abs(result.adjusted[self._tested] - ALPHA) < near).any())
            if self._exact or not unclear or blocks * _LONGER > limit or costly:
                return result
            blocks *= _LONGER

    def _add(self, block: Floats) -> None:
        """Count one block of swaps."""
        self._rounds += block.shape[1]
        if not len(self._order):
            return
        each, limits = self._statistics(block, self._order), self._limits[:, None]
        lost = np.isnan(each)  # what is not known counts as large for its own test and says nothing of the others
        each[lost] = -np.inf
        self._alone += np.count_nonzero((each >= limits) | lost, axis=1)
        for below, one in pairwise(each):  # row by row a sixth of the time of `accumulate`
            np.maximum(below, one, out=one)
        self._beyond += np.count_nonzero((each >= limits) | lost, axis=1)
        self._highest.append(each[-1].copy())

    def _statistics(self, block: Floats, places: Integers) -> Floats:
        """Return the size of differences in their standard deviations, (contrasts, swaps)."""
        each: Floats = block[places]
        np.abs(each, out=each)
        each /= self._spread[places][:, None]
        return each

    def _result(self) -> _Found:
        extra = 0 if self._exact else 1  # the observed outcome is among all of them, and not among those drawn
        total = self._rounds + extra
        p, adjusted = np.full(len(self._known), np.nan), np.full(len(self._known), np.nan)
        p[self._known] = adjusted[self._known] = 1.0
        p[self._order] = np.minimum((self._alone + extra) / total, 1.0)
        steps = np.minimum((self._beyond + extra) / total, 1.0)
        adjusted[self._order] = np.maximum.accumulate(steps[::-1])[::-1]  # never below one that is clearer
        highest = np.sort(np.concatenate(self._highest)) if self._highest else np.zeros(0)
        critical, resolved = _critical(highest, total, extra)
        last = critical
        shown = adjusted[self._order] < ALPHA
        if (shown & (self._limits <= critical)).any() and not shown.all():
            last = min(self._last(~shown, extra), float(self._limits[shown].min()))
        elif (shown & (self._limits <= critical)).any():
            last = float(self._limits[shown].min())
        return _Found(self._tested, self._spread, p, adjusted, critical, last, self._rounds, resolved)

    def _last(self, left: Booleans, extra: int) -> float:
        """Return the threshold of the tests that are left, from the first swaps."""
        highest = [
            np.nan_to_num(self._statistics(block, self._order[left]), nan=-np.inf).max(axis=0)
            for block in self._blocks(0, ROUNDS // BLOCK)
        ]
        drawn = np.sort(np.concatenate(highest))
        return _critical(drawn, len(drawn) + extra, extra)[0]


def _just_below(statistics: Floats) -> Floats:
    """Return what a statistic must reach to count as equal to these."""
    return statistics - _TIE * np.maximum(1.0, statistics)


def _critical(highest: Floats, total: int, extra: int) -> tuple[float, bool]:
    """Return the value that a statistic must exceed for p < 0.05, and whether any could.

    `highest` are the largest statistics of all swaps, ascending.
    """
    allowed = math.ceil(ALPHA * total - 1e-9) - 1 - extra  # so many may be as large
    if not len(highest):
        return _NORMAL, False
    if allowed < 1:
        return max(_NORMAL, float(highest[-1])), False
    return float(highest[-1 - allowed]), True


def _outcome(table: _Table, found: _Found, place: int) -> PairedTest:
    metric = table.contrasts[place].metric
    a, b = table.values[place]
    difference = a - b
    low = high = detectable = math.nan
    if found.tested[place]:
        spread = float(found.spread[place])
        statistic = abs(difference) / spread
        shown = bool(found.adjusted[place] < ALPHA)
        critical = found.last if shown and _just_below(np.array(statistic)) <= found.critical else found.critical
        own = math.sqrt(max(spread**2 - difference**2 / table.n, 0.0))
        if table.n >= FEWEST:
            low, high = _ends(difference, _half(critical, own, table.n), shown=shown)
            lowest, highest = metric.bounds
            if math.isfinite(high - low):
                low, high = max(low, lowest - highest), min(high, highest - lowest)
        if found.resolved:
            detectable = _detectable(found.critical, own, table.n)
    elif not math.isnan(difference):
        low = high = detectable = 0.0
    p, adjusted = float(found.p[place]), float(found.adjusted[place])
    return PairedTest(metric.name, a, b, difference, low, high, p, adjusted, detectable)


def _half(critical: float, own: float, n: int) -> float:
    """Return half the width of the interval: the differences d with |found - d| within the threshold.

    The standard deviation over swaps of a true difference d is that of the differences around it and (found - d)^2 / n.
    """
    room = 1 - critical**2 / n
    return critical * own / math.sqrt(room) if room > 0 else math.inf


def _detectable(critical: float, own: float, n: int) -> float:
    """Return the true difference whose estimate lies beyond the threshold with a chance of 80 %.

    The threshold moves with the standard deviation that a sample shows, which adds to the estimate's own error.
    """
    half = _half(critical, own, n)
    if own == 0:
        return half
    return half + _POWER * own * math.sqrt(1 + (half / own) ** 2 / (2 * n))


def _ends(difference: float, half: float, *, shown: bool) -> tuple[float, float]:
    """Return the ends of an interval; 0 lies within unless a difference is shown, whatever rounding does."""
    low, high = difference - half, difference + half
    if not shown:
        return min(low, 0.0), max(high, 0.0)
    if difference > 0:
        return max(low, math.ulp(0.0)), high
    return low, min(high, -math.ulp(0.0))


def _expect(contrasts: Sequence[Contrast], rounds: int) -> None:
    refused = [one.metric.name for one in contrasts if not one.metric.additive]
    if refused:
        raise UsageError(
            f"'{refused[0]}' is not a formula over sums of counts (the counts of two items are not the counts of both "
            f"together), so swapping items would give a wrong test; leave it out"
        )
    if rounds < 100:
        raise UsageError(f"{rounds} resamples are asked for; at least 100 are needed, {ROUNDS} is usual")


def expect_same_items(a: Counts, b: Counts) -> None:
    """Raise `UsageError`, naming what differs, where two systems were not counted over the same items."""
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
        raise UsageError(
            "A and B put their items into different dialogues, or one of them knows of none; "
            "score both against the same truth file"
        )


def _matched(systems: Sequence[Counts]) -> Sequence[Counts]:
    """Return the systems, all over the same items. Raises `UsageError` naming what differs."""
    if not len(systems[0]):
        raise UsageError("there are no items to resample")
    for other in systems[1:]:
        expect_same_items(systems[0], other)
    return systems
