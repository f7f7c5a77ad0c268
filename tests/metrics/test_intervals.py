"""Intervals of scores against closed forms, and their promises."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta  # in the tests only
from scipy.stats import t as students_t

from duologue.core.records import Signature
from duologue.metrics.counts import Counts, Metric, share
from duologue.metrics.formulas import Ratio
from duologue.metrics.intervals import NORMAL, intervals, jeffreys, scores, share_ends, student, wilson, within
from duologue.metrics.overlap import Overlap
from duologue.metrics.rank import PrecisionAt, ReciprocalRank, count_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.metrics.counts import Floats

P1 = PrecisionAt(1)


def hits(flags: Sequence[bool], groups: Sequence[str] | None = None) -> Counts:
    names = [f"{number:05}" for number in range(len(flags))]
    return count_ranks(names, [1 if flag else None for flag in flags], groups=groups)


def counted_hits(right: Floats, tried: Floats) -> Counts:
    """Return hits and trials of so many dialogues."""
    names = tuple(f"{number:05}" for number in range(len(right)))
    return Counts(names, P1.columns, np.column_stack([tried, right]), names)


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


class Fraction(Mean):
    """A mean of fractions that are no trials."""

    percent = True


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
def test_off_the_edge_a_fraction_is_taken_on_the_logit_scale(n: int, right: int) -> None:
    rows = np.array([[1.0, float(number < right)] for number in range(n)])
    (found,) = intervals(Counts(tuple(f"{number:05}" for number in range(n)), Mean.columns, rows), [Fraction()])
    middle, error = math.log(right / (n - right)), math.sqrt(n / right / (n - right))
    for end, sign in ((found.low, -1), (found.high, 1)):
        assert end == pytest.approx(1 / (1 + math.exp(-middle - sign * student(n - 1) * error)), abs=0.001)


@pytest.mark.parametrize("few", [2, 3, 6])
def test_a_fraction_near_one_mirrors_one_near_nothing(few: int) -> None:
    names = tuple(f"{number:05}" for number in range(40))
    rows = np.array([[1.0, float(number < few)] for number in range(len(names))])
    (one,), (other,) = (
        intervals(Counts(names, Mean.columns, some), [Fraction()]) for some in (rows, np.abs(rows - [0, 1]))
    )
    assert (one.low, one.high) == pytest.approx((1 - (other.high or 0), 1 - (other.low or 0)))


def test_twenty_of_twenty_is_not_certain() -> None:
    (found,) = intervals(hits([True] * 20), [P1])
    assert (round(found.low or 0, 3), found.high) == (0.861, 1.0)
    (none,) = intervals(hits([False] * 20), [P1])
    assert (none.low, round(none.high or 0, 3)) == (0.0, 0.139)


@pytest.mark.parametrize("deviations", [1.96, 2.262])
def test_wilsons_ends_are_0_and_1_whatever_the_rounding(deviations: float) -> None:
    for n in range(5, 300):
        assert wilson(0.0, n, deviations)[0] == wilson(-1e-16, n, deviations)[0] == 0.0
        assert wilson(1.0, n, deviations)[1] == wilson(1 + 3e-16, n, deviations)[1] == 1.0  # a mean may be so much more


@pytest.mark.parametrize(("n", "right"), [(20, 20), (30, 1), (50, 47), (200, 120), (5_000, 40)])
def test_a_share_of_items_that_stand_alone_lies_between_wilson_and_jeffreys(n: int, right: int) -> None:
    (found,) = intervals(hits([number < right for number in range(n)]), [P1])
    both = wilson(right / n, n, NORMAL), jeffreys(right, n)
    assert (found.low, found.high) == pytest.approx([(one + other) / 2 for one, other in zip(*both, strict=True)])


def test_a_share_of_trials_in_dialogues_is_wilsons_with_a_moderated_design_effect() -> None:
    right = np.array([5.0, 5, 5, 4, 5, 2, 5, 3, 5, 5])
    (found,) = intervals(counted_hits(right, np.full(10, 5.0)), [P1])
    value, told = 0.88, 50 * 0.88 * 0.12
    part = told / (told + 10)
    apart = float(np.square(right / 5 - value).sum() / 9 / 10) / (value * (1 - value) / 49)
    effect = part * apart + (1 - part) * (1 + 0.2 * 4)
    assert (found.low, found.high) == pytest.approx(wilson(value, 50 / effect, student(9 / part**2 / (1 - 1 / 5))))


def test_no_miss_in_ten_dialogues_is_less_sure_than_in_fifty_items_and_surer_than_in_ten() -> None:
    (found,) = intervals(counted_hits(np.full(10, 5.0), np.full(10, 5.0)), [P1])
    assert wilson(1.0, 10, NORMAL)[0] < (found.low or 0) < wilson(1.0, 50, NORMAL)[0]
    assert found.high == 1.0


def test_a_share_may_be_of_what_was_said() -> None:
    rows = np.array([[3.0, 4.0, 9.0], [1.0, 2.0, 2.0], [5.0, 5.0, 7.0], [0.0, 0.0, 3.0], [2.0, 3.0, 3.0]])
    metric = Overlap("x", "precision")
    (found,) = intervals(Counts(tuple("abcde"), metric.columns, rows), [metric])
    kept = (rows[:, 0].sum() - rows[:, 0]) / (rows[:, 1].sum() - rows[:, 1])
    error = math.sqrt(4 / 5 * float(np.square(kept - kept.mean()).sum()))
    assert (found.low, found.high) == pytest.approx(share_ends(rows[:, 0], rows[:, 1], error))
    assert Overlap("x", "f1").share_of is Overlap("x", "recall", epsilon=1e-9).share_of is None
    assert Ratio("x", "part", "whole", per=2.0).share_of is Ratio("x", "part", "whole", percent=False).share_of is None


def test_fractions_that_count_nothing_have_the_interval_of_any_score() -> None:
    ranks = [1, 2, 1, 3, None, 1, 2, 1, 1, 4]
    counts = count_ranks([f"{number:02}" for number in range(10)], ranks)
    (found,) = intervals(counts, [ReciprocalRank()])
    mean = Mean()
    mean.columns, mean.percent = ("items", "reciprocal rank"), True
    assert found == intervals(counts, [mean])[0]


def test_a_share_of_nothing_has_no_ends() -> None:
    with pytest.raises(ValueError, match="no trials"):
        share_ends(np.zeros(5), np.zeros(5), 0.0)


@given(st.integers(5, 80))
def test_more_hits_never_lower_an_end(n: int) -> None:
    ends = np.array([share_ends(np.array([1.0] * k + [0.0] * (n - k)), np.ones(n), 0.0) for k in range(0, n + 1, 3)])
    assert (np.diff(ends, axis=0) > 0).all()


groups_of_trials = st.lists(st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=5)


@given(groups_of_trials)
def test_a_share_of_misses_mirrors_that_of_hits(rows: list[tuple[int, int]]) -> None:
    right, tried = np.array(rows, dtype=np.float64).T
    (one,), (other,) = (intervals(counted_hits(some, tried), [P1]) for some in (right, tried - right))
    assert one.low is not None
    assert one.high is not None
    assert 0 <= one.low <= one.value <= one.high <= 1
    assert (one.low, one.high) == pytest.approx((1 - (other.high or 0), 1 - (other.low or 0)), abs=1e-8)


@given(groups_of_trials)
def test_the_ends_of_a_share_do_not_jump(rows: list[tuple[int, int]]) -> None:
    right, tried = np.array([*rows, (3, 7)], dtype=np.float64).T
    for error in (0.0, 0.02, 0.3):
        ends, near = share_ends(right, tried, error), share_ends(right * (1 - 1e-9), tried * (1 + 1e-9), error + 1e-9)
        assert near == pytest.approx(ends, abs=1e-4)
    if 0 < (hits := float(right.sum())) < tried.sum():
        assert jeffreys(hits * (1 + 1e-9), tried.sum()) == pytest.approx(jeffreys(hits, tried.sum()), abs=1e-6)


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
    assert together == pytest.approx(alone, abs=0.015)
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


def test_no_interval_leaves_the_scale_of_its_score() -> None:
    def points(*found: float) -> Counts:
        names = tuple(f"{number:02}" for number in range(len(found)))
        return Counts(names, ("dialogues", "points"), np.column_stack([np.ones(len(found)), found]), names)

    free = Ratio("goal", "points", "dialogues", percent=False)
    bounded = Ratio("goal", "points", "dialogues", percent=False, lowest=0, highest=2)
    most, least = points(*[2.0] * 39, 1.0), points(*[0.0] * 39, 1.0)
    (before,), (after,) = intervals(most, [free]), intervals(most, [bounded])
    assert before.high is not None
    assert before.high > 2
    assert after == before._replace(high=2)
    (found,) = intervals(least, [bounded])
    assert found.low == 0
    loose = Ratio("cider", "points", "dialogues", percent=False, additive=False, lowest=0, highest=10)
    (score,) = scores(least, [loose], ends={"cider": (-0.1, 10.2)})
    assert (score.low, score.high) == (0, 10)


def test_around_a_value_beyond_the_scale_an_interval_stays_as_it_is() -> None:
    assert [within(value, -0.3, 0.1, P1.bounds) for value in (-0.1, 0.05)] == [(-0.3, 0.1), (0.0, 0.1)]


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
    assert str(found[0].signature) == ("p@1 = hit@1 / items | toy | n 100 | dialogues unknown, by sample | jackknife 2")
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


@pytest.mark.parametrize("right", [2, 5, 6, 8])
def test_a_fraction_is_at_the_edge_with_fewer_than_five_hits_for_what_the_sample_is_worth(right: int) -> None:
    n = 200  # is worth one less
    rows = np.array([[1.0, float(number < right)] for number in range(n)])
    (found,) = intervals(Counts(tuple(f"{number:05}" for number in range(n)), Mean.columns, rows), [Fraction()])
    ends = wilson(right / n, n - 1, student(n - 1))
    assert ((found.low, found.high) == pytest.approx(ends)) is (right < 6)


def test_a_share_has_no_fewer_than_four_degrees_of_freedom() -> None:
    """Two dialogues of a hundred trials each have hardly more than one."""
    part = 48 / 58
    effect = part * 0.1**2 * 199 / 0.24 + (1 - part) * (1 + 0.2 * 99)
    ends = share_ends(np.array([50.0, 30.0, 0.0]), np.array([100.0, 100.0, 0.0]), 0.1)
    assert ends == pytest.approx(wilson(0.4, 200 / effect, student(4)))


@pytest.mark.parametrize(("right", "n"), [(0, 20), (3, 20), (0.5, 7), (20, 20)])
def test_jeffreys_ends_are_those_of_the_beta_distribution(right: float, n: int) -> None:
    low, high = (float(beta.ppf(part, right + 0.5, n - right + 0.5)) for part in (0.025, 0.975))
    assert jeffreys(right, n) == pytest.approx((low if right else 0.0, high if right < n else 1.0), abs=1e-7)


def test_an_end_that_differs_from_the_value_by_rounding_is_put_on_it() -> None:
    names = tuple(f"{number:02}" for number in range(7))
    (found,) = intervals(Counts(names, Mean.columns, np.column_stack([np.ones(7), np.full(7, 0.1)])), [Mean()])
    assert found.low == found.value == found.high


class Odd(Fraction):
    """What is given for so many items, whatever they are."""

    def __init__(self, **of: float) -> None:
        self.of = {int(items.removeprefix("of_")): value for items, value in of.items()}

    def total(self, sums: Floats) -> Floats:
        items = np.round(sums[..., 0]).astype(int)
        told: Floats = np.vectorize(lambda n: self.of[int(n)])(items)
        return told + np.where(items < max(self.of), sums[..., 1] / 100, 0.0)


def _interval(metric: Odd, values: Sequence[float]) -> tuple[float | None, float | None]:
    names = tuple(f"{number:05}" for number in range(len(values)))
    counts = Counts(names, metric.columns, np.column_stack([np.ones(len(values)), values]), names)
    (found,) = scores(counts, [metric])
    return found.low, found.high


def test_a_score_of_0_has_the_interval_of_none_of_the_dialogues_whatever_it_is_without_one() -> None:
    low, high = _interval(Odd(of_6=0.0, of_5=0.5), [0, 1, 0, 1, 0, 1])
    assert (low, high) == pytest.approx(wilson(0.0, 6, NORMAL))


def test_a_score_that_is_beyond_1_without_a_dialogue_is_not_taken_to_odds() -> None:
    low, high = _interval(Odd(of_6=0.5, of_5=1.1), [0, 1, 0, 1, 0, 1])
    assert low is not None
    assert high is not None
    assert 0 <= low < 0.5 < high <= 1


def test_a_score_that_is_known_better_keeps_the_interval_of_the_counts() -> None:
    counts = hits([True] * 12 + [False] * 8)
    wider = Counts(counts.ids, (*counts.columns, "more"), np.column_stack([counts.array, np.ones(20)]), counts.groups)
    (plain,), (known,) = scores(wider, [P1]), scores(wider, [P1], values={P1.name: 0.61})
    assert (plain.value, known.value) == (0.6, 0.61)
    assert (known.low, known.high) == (plain.low, plain.high)
    (beyond,) = scores(wider, [P1], values={P1.name: 0.99})
    assert (beyond.low, beyond.high) == (plain.low, 0.99)
    (elsewhere,) = scores(wider, [Overlap("x", "f1", name="known")], values={"known": 0.5})
    assert (elsewhere.value, elsewhere.low) == (0.5, None)
