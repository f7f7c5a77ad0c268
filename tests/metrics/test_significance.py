"""Intervals and tests against closed forms, and their promises."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.core.errors import UsageError
from duologue.metrics.counts import Counts, Metric
from duologue.metrics.rank import PrecisionAt, count_ranks, ranking_metrics
from duologue.metrics.significance import bootstrap, holm, p_value, paired_tests, scores

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from duologue.metrics.counts import Floats

P1 = PrecisionAt(1)


def hits(flags: Sequence[bool], *, prefix: str = "") -> Counts:
    return count_ranks(
        [f"{prefix}{number:05}" for number in range(len(flags))], [1 if flag else None for flag in flags]
    )


class Distinct(Metric[str]):
    name = "distinct-1"
    columns = ("items",)
    formula = "distinct-1 = different words / words"
    additive = False

    def count(self, seen: str) -> tuple[float]:
        return (1.0,)

    def total(self, sums: Floats) -> Floats:
        return np.asarray(sums[..., 0])


BOTH: list[Metric[Any]] = [P1, Distinct()]


def binomial_quantile(n: int, p: float, share: float) -> int:
    total = 0.0
    for successes in range(n + 1):
        total += math.comb(n, successes) * p**successes * (1 - p) ** (n - successes)
        if total >= share:
            return successes
    return n


@pytest.mark.parametrize(("n", "right"), [(50, 20), (200, 188), (1000, 91)])
def test_the_interval_of_a_precision_is_the_binomial_one(n: int, right: int) -> None:
    value, low, high = bootstrap(hits([number < right for number in range(n)]), [P1], seed=1)[0]
    assert value == right / n
    assert low == pytest.approx(binomial_quantile(n, right / n, 0.025) / n, abs=1 / n + 1e-9)
    assert high == pytest.approx(binomial_quantile(n, right / n, 0.975) / n, abs=1 / n + 1e-9)


def test_intervals_hold_the_truth_about_as_often_as_they_promise() -> None:
    rng = np.random.default_rng(8)
    held = 0
    for trial in range(400):
        _, low, high = bootstrap(hits((rng.random(200) < 0.3).tolist()), [P1], seed=trial, resamples=1000)[0]
        held += low <= 0.3 <= high
    assert 0.92 <= held / 400 <= 0.975


def test_dialogues_are_drawn_whole_so_that_repeated_turns_do_not_feign_certainty() -> None:
    flags = [number % 2 == 0 for number in range(40)]
    alone = bootstrap(hits(flags), [P1], seed=1)[0]
    copies = Counts(
        tuple(f"{number}#{turn}" for number in range(40) for turn in range(5)),
        ("items", "hit@1"),
        np.array([[1, flag] for flag in flags for _ in range(5)]),
        tuple(str(number) for number in range(40) for _ in range(5)),
    )
    together = bootstrap(copies, [P1], seed=1)[0]
    apart = bootstrap(Counts(copies.ids, copies.columns, copies.array), [P1], seed=1)[0]
    assert together.high - together.low == pytest.approx(alone.high - alone.low, abs=0.03)
    assert apart.high - apart.low < 0.6 * (together.high - together.low)


def test_where_all_items_agree_the_interval_has_no_width() -> None:
    assert bootstrap(hits([True] * 30), [P1], seed=1)[0] == (1.0, 1.0, 1.0)


def test_a_wider_level_gives_a_wider_interval() -> None:
    counts = hits([number % 3 == 0 for number in range(100)])
    narrow, wide = bootstrap(counts, [P1], seed=1, level=0.5)[0], bootstrap(counts, [P1], seed=1, level=0.99)[0]
    assert wide.low < narrow.low < narrow.high < wide.high


@settings(max_examples=25)
@given(st.lists(st.none() | st.integers(1, 11), min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_intervals_hold_their_value_and_do_not_depend_on_the_order_of_items(
    ranks: list[int | None], rng: random.Random
) -> None:
    order = list(range(len(ranks)))
    rng.shuffle(order)
    counts = count_ranks([str(number) for number in range(len(ranks))], ranks)
    found = bootstrap(counts, ranking_metrics(), seed=3, resamples=500)
    mixed = bootstrap(counts.take(order), ranking_metrics(), seed=3, resamples=500)
    assert all(0 <= one.low <= one.value + 1e-12 and one.value <= one.high + 1e-12 <= 1 + 2e-12 for one in found)
    assert [one[1:] for one in mixed] == [one[1:] for one in found]


def test_scores_carry_intervals_and_the_signature() -> None:
    found = scores(hits([True, False] * 50), BOTH, seed=1, signature="s")
    assert [(score.name, score.signature) for score in found] == [("p@1", "s"), ("distinct-1", "s")]
    assert found[0].low is not None
    assert found[0].high is not None
    assert found[0].low < found[0].value == 0.5 < found[0].high
    assert (found[1].low, found[1].high) == (None, None)


def test_a_metric_that_is_not_additive_is_refused_with_the_reason() -> None:
    with pytest.raises(UsageError, match="'distinct-1' is not a formula over sums of counts"):
        bootstrap(hits([True]), BOTH, seed=1)
    with pytest.raises(UsageError, match="'distinct-1'"):
        paired_tests(hits([True]), hits([True]), [Distinct()], seed=1)


def test_a_level_outside_0_to_1_is_refused() -> None:
    with pytest.raises(UsageError, match="the level is 95"):
        bootstrap(hits([True]), [P1], seed=1, level=95)


def test_equal_systems_give_p_1() -> None:
    counts = hits([number % 3 == 0 for number in range(90)])
    result = paired_tests(counts, counts, [P1], seed=1)[0]
    assert (result.difference, result.low, result.high) == (0, 0, 0)
    assert (result.p_bootstrap, result.p_randomisation) == (1, 1)


def test_a_different_system_of_equal_score_gives_p_1() -> None:
    a = [number % 2 == 0 for number in range(60)]
    result = paired_tests(hits(a), hits([not flag for flag in a]), [P1], seed=1)[0]
    assert result.difference == 0
    assert (result.p_bootstrap, result.p_randomisation) == (1, 1)


def test_the_p_value_never_falls_below_its_floor() -> None:
    result = paired_tests(hits([True] * 300), hits([False] * 300), [P1], seed=1, resamples=999)[0]
    assert result.p_randomisation == 1 / 1000
    assert p_value(np.zeros(99), 0.5) == 1 / 100
    assert p_value(np.array([-0.5, 0.4, 0.5]), 0.5) == 3 / 4


def test_the_randomisation_test_is_the_sign_test_for_hits() -> None:
    """With 12 items won and 3 lost, the exact two-sided sign test gives 2 P(X <= 3), X ~ Binomial(15, 1/2)."""
    a = [True] * 12 + [False] * 3 + [True] * 20
    b = [False] * 12 + [True] * 3 + [True] * 20
    exact = 2 * sum(math.comb(15, won) for won in range(4)) / 2**15
    assert paired_tests(hits(a), hits(b), [P1], seed=2)[0].p_randomisation == pytest.approx(exact, abs=0.006)


def test_the_paired_bootstrap_follows_the_normal_approximation() -> None:
    a = [True] * 60 + [False] * 40 + [True] * 300
    b = [False] * 60 + [True] * 40 + [True] * 300
    result = paired_tests(hits(a), hits(b), [P1], seed=2)[0]
    deviation = math.sqrt((100 - 20**2 / 400) / 400**2)
    assert result.p_bootstrap == pytest.approx(math.erfc(0.05 / deviation / math.sqrt(2)), abs=0.012)
    assert result.low == pytest.approx(0.05 - 1.96 * deviation, abs=0.004)


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.none() | st.integers(1, 11), st.none() | st.integers(1, 11)), min_size=1, max_size=60),
    st.integers(0, 5),
)
def test_exchanging_the_systems_changes_the_sign_only(pairs: list[tuple[int | None, int | None]], seed: int) -> None:
    ids = [str(number) for number in range(len(pairs))]
    a, b = (count_ranks(ids, [pair[side] for pair in pairs]) for side in (0, 1))
    forth = paired_tests(a, b, ranking_metrics(), seed=seed, resamples=300)
    back = paired_tests(b, a, ranking_metrics(), seed=seed, resamples=300)
    for one, other in zip(forth, back, strict=True):
        assert one.difference == -other.difference
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
        assert (one.p_bootstrap, one.p_randomisation) == (other.p_bootstrap, other.p_randomisation)


def test_false_alarms_are_as_rare_as_promised() -> None:
    rng = np.random.default_rng(3)
    p_values = []
    for trial in range(200):
        a, b = (hits((rng.random(150) < 0.6).tolist()) for _ in range(2))
        p_values.append(paired_tests(a, b, [P1], seed=trial, resamples=499)[0].p_randomisation)
    assert sum(p <= 0.05 for p in p_values) / 200 <= 0.09


def test_items_are_matched_by_id_and_not_by_place() -> None:
    a = hits([True, False, True, True])
    result = paired_tests(a, a.take([3, 1, 0, 2]), [P1], seed=1)[0]
    assert result.p_randomisation == 1


def test_other_items_are_refused_and_named() -> None:
    with pytest.raises(
        UsageError, match=r"0 are shared, 2 only in A \(first '00000'\), 1 only in B \(first 'x00000'\)"
    ):
        paired_tests(hits([True, True]), hits([True], prefix="x"), [P1], seed=1)


def test_other_columns_and_other_groups_are_refused() -> None:
    a = hits([True, True])
    with pytest.raises(UsageError, match=r"A counts items.*; B counts items, hit@1"):
        paired_tests(a, Counts(a.ids, a.columns[:2], a.array[:, :2]), [P1], seed=1)
    with pytest.raises(UsageError, match="different dialogues"):
        paired_tests(a, Counts(a.ids, a.columns, a.array, ("x", "x")), [P1], seed=1)


def test_holm_by_hand() -> None:
    assert holm([]) == ()
    assert holm([0.2]) == (0.2,)
    assert holm([0.01, 0.02, 0.03, 0.9]) == pytest.approx((0.04, 0.06, 0.06, 0.9))


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_never_lowers_a_p_value_and_keeps_the_order(p_values: list[float]) -> None:
    corrected = holm(p_values)
    assert all(before <= after <= 1 for before, after in zip(p_values, corrected, strict=True))
    pairs = sorted(zip(p_values, corrected, strict=True))
    assert [after for _, after in pairs] == sorted(corrected)
