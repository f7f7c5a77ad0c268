"""Intervals of scores against closed forms, and their promises."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as students_t  # in the tests only

from duologue.core.records import Signature
from duologue.metrics.counts import Counts, Metric, share
from duologue.metrics.intervals import intervals, scores, student, wilson
from duologue.metrics.overlap import Overlap
from duologue.metrics.rank import PrecisionAt, count_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.metrics.counts import Floats

P1 = PrecisionAt(1)


def hits(flags: Sequence[bool], groups: Sequence[str] | None = None) -> Counts:
    names = [f"{number:05}" for number in range(len(flags))]
    return count_ranks(names, [1 if flag else None for flag in flags], groups=groups)


class Mean(Metric[float]):
    """A mean that is no fraction."""

    name = "mean"
    columns = ("items", "sum")
    formula = "mean = sum / items"
    percent = False

    def count(self, seen: float) -> tuple[float, float]:
        return 1.0, seen

    def total(self, sums: Floats) -> Floats:
        return share(sums[..., 1], sums[..., 0])


class Loose(Mean):
    """The same, said not to be additive."""

    additive = False


@pytest.mark.parametrize("freedom", [4, 5, 9, 19, 100, 10_000])
def test_students_quantile_is_right(freedom: int) -> None:
    assert student(freedom) == pytest.approx(float(students_t.ppf(0.975, freedom)), abs=0.002)


@given(st.lists(st.floats(-50, 50), min_size=5, max_size=40))
def test_the_interval_of_a_mean_is_students(values: list[float]) -> None:
    array = np.column_stack([np.ones(len(values)), values])
    counts = Counts(tuple(f"{number:03}" for number in range(len(values))), Mean.columns, array)
    (found,) = intervals(counts, [Mean()])
    half = student(len(values) - 1) * np.std(values, ddof=1) / math.sqrt(len(values))
    assert found.low == pytest.approx(found.value - half, abs=1e-7)
    assert found.high == pytest.approx(found.value + half, abs=1e-7)


@pytest.mark.parametrize(("n", "right"), [(200, 120), (1_000, 900), (5_000, 40)])
def test_off_the_edge_a_share_is_taken_on_the_logit_scale(n: int, right: int) -> None:
    (found,) = intervals(hits([number < right for number in range(n)]), [P1])
    middle, error = math.log(right / (n - right)), math.sqrt(n / right / (n - right))
    for end, sign in ((found.low, -1), (found.high, 1)):
        assert end == pytest.approx(1 / (1 + math.exp(-middle - sign * student(n - 1) * error)), abs=0.001)


def test_twenty_of_twenty_is_not_certain() -> None:
    (found,) = intervals(hits([True] * 20), [P1])
    assert (round(found.low or 0, 3), found.high) == (0.839, 1.0)
    (none,) = intervals(hits([False] * 20), [P1])
    assert (none.low, round(none.high or 0, 3)) == (0.0, 0.161)


@pytest.mark.parametrize("deviations", [1.96, 2.262])
def test_wilsons_ends_are_0_and_1_whatever_the_rounding(deviations: float) -> None:
    for n in range(5, 300):
        assert wilson(0.0, n, deviations)[0] == 0.0
        assert wilson(1.0, n, deviations)[1] == 1.0


def test_few_misses_give_wilsons_interval_for_what_the_sample_is_worth() -> None:
    (found,) = intervals(hits([True] * 47 + [False] * 3), [P1])
    expected = wilson(0.94, 49, student(49))  # the jackknife's variance is v (1 - v) / (n - 1)
    assert (found.low, found.high) == pytest.approx(expected)


def test_with_fewer_than_five_dialogues_there_is_none() -> None:
    flags = [True, False] * 10
    assert intervals(hits(flags, ["a", "b", "c", "d"] * 5), [P1])[0][1:] == (None, None)
    assert intervals(hits(flags, ["a", "b", "c", "d", "e"] * 4), [P1])[0].low is not None
    assert intervals(hits([True] * 4), [P1])[0] == (1.0, None, None)


def test_dialogues_are_left_out_whole() -> None:
    flags = [number % 4 > 0 for number in range(60) for _ in range(5)]  # five items of a dialogue are alike
    apart = intervals(hits(flags), [P1])[0]
    together = intervals(hits(flags, [f"{row // 5:03}" for row in range(300)]), [P1])[0]
    alone = intervals(hits(flags[::5]), [P1])[0]
    assert together == pytest.approx(alone)
    assert (together.high or 0) - (together.low or 0) > 2 * ((apart.high or 0) - (apart.low or 0))


def test_a_value_that_is_not_known_and_a_metric_that_is_not_additive_have_none() -> None:
    counts = Counts(tuple("abcdefg"), ("items", "sum"), np.array([[0.0, 0.0]] * 7))
    found = intervals(counts, [Mean()])[0]
    assert math.isnan(found.value)
    assert (found.low, found.high) == (None, None)
    known = Counts(counts.ids, counts.columns, np.array([[1.0, float(row)] for row in range(7)]))
    assert intervals(known, [Loose()])[0] == (3.0, None, None)


counted = st.lists(st.tuples(st.integers(0, 5), st.integers(5, 9), st.integers(5, 9)), min_size=1, max_size=30)


@given(counted)
def test_an_interval_holds_its_value_and_stays_a_fraction(rows: list[tuple[int, int, int]]) -> None:
    metric = Overlap("x", "f1")
    names = tuple(f"{number:03}" for number in range(len(rows)))
    (found,) = intervals(Counts(names, metric.columns, np.array(rows, dtype=np.float64)), [metric])
    assert (found.low is None) == (len(rows) < 5)
    if found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.value <= found.high <= 1


@given(counted, st.randoms())
def test_the_order_of_items_does_not_matter(rows: list[tuple[int, int, int]], random: Any) -> None:
    metric = Overlap("x", "f1")
    names = tuple(f"{number:03}" for number in range(len(rows)))
    counts = Counts(names, metric.columns, np.array(rows, dtype=np.float64))
    order = random.sample(range(len(rows)), len(rows))
    assert intervals(counts, [metric]) == intervals(counts.take(order), [metric])


def test_scores_carry_intervals_and_their_own_signatures() -> None:
    signature = Signature(task="toy", n=100)
    counts = hits([True, False] * 50)
    found = scores(counts, [P1], signature)
    assert str(found[0].signature) == ("p@1 = hit@1 / items | toy | n 100 | dialogues unknown, by sample | jackknife")
    assert scores(counts, [P1])[0].low == intervals(counts, [P1])[0].low


def test_a_dialogue_without_which_nothing_is_left_costs_its_own_value_alone() -> None:
    class Precision(Mean):
        """A share that has no value once the only dialogue that says something is left out."""

        name = "precision"
        percent = True

    rows = np.array([[4.0, 3.0], *[[0.0, 0.0]] * 5])
    names = tuple(f"{number:03}" for number in range(len(rows)))
    (found,) = intervals(Counts(names, Precision.columns, rows), [Precision()])
    assert found.value == 0.75
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < 0.75 < found.high < 1
    (few,) = intervals(Counts(names[:5], Precision.columns, rows[:5]), [Precision()])
    assert (few.low, few.high) == (None, None)  # four values are left


def test_students_quantile_is_that_of_the_expansion_to_the_last_place() -> None:
    z = 1.959963984540054
    for freedom in (1, 4):
        terms = (
            z,
            (z**3 + z) / (4 * freedom),
            (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2),
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3),
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * freedom**4),
        )
        assert student(freedom) == pytest.approx(sum(terms), rel=1e-12)
