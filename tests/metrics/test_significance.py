"""Paired tests against enumeration and closed forms, and their promises."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.core.errors import UsageError
from duologue.metrics import significance
from duologue.metrics.counts import Counts, Metric, share
from duologue.metrics.overlap import Overlap
from duologue.metrics.rank import PrecisionAt, count_ranks, ranking_metrics
from duologue.metrics.significance import ALPHA, Contrast, compare_two, paired_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.metrics.counts import Floats
    from duologue.metrics.significance import PairedFamily

P1 = PrecisionAt(1)
OVERLAP = Overlap("x", "f1")


def hits(flags: Sequence[bool], *, prefix: str = "", groups: Sequence[str] | None = None) -> Counts:
    names = [f"{prefix}{number:05}" for number in range(len(flags))]
    return count_ranks(names, [1 if flag else None for flag in flags], groups=groups)


def overlaps(rows: Sequence[Sequence[int]]) -> Counts:
    names = tuple(f"{number:05}" for number in range(len(rows)))
    return Counts(names, OVERLAP.columns, np.array(rows, dtype=np.float64).reshape(len(rows), 3))


def all_pairs(systems: Sequence[Counts], metric: Metric[Any], **more: Any) -> PairedFamily:
    contrasts = [Contrast(a, b, metric) for a, b in combinations(range(len(systems)), 2)]
    return paired_tests(systems, contrasts, **more)


def enumerated(systems: Sequence[Counts], metric: Metric[Any]) -> list[tuple[float, float]]:
    """Return p alone and corrected of all pairs, written down from the definition: every swap, every step."""
    rows = [one.units()[1][:, one.positions(metric.columns)] for one in systems]
    pairs = list(combinations(range(len(systems)), 2))
    found = []
    for coins in product((0.0, 1.0), repeat=len(rows[0])):
        heads = np.array(coins)[:, None]
        found.append(
            [
                metric.total((rows[a] * (1 - heads) + rows[b] * heads).sum(axis=0))
                - metric.total((rows[b] * (1 - heads) + rows[a] * heads).sum(axis=0))
                for a, b in pairs
            ]
        )
    drawn = np.array(found, dtype=np.float64)
    seen = drawn[0]  # no coin shows heads
    spread = np.sqrt(np.square(drawn).mean(axis=0))
    known = spread > 1e-12
    scale = np.where(known, spread, 1.0)
    large = np.abs(drawn) / scale
    limits = np.abs(seen) / scale - 1e-9
    p = [float((large[:, at] >= limits[at]).mean()) if known[at] else 1.0 for at in range(len(pairs))]
    corrected, floor, left = [1.0] * len(pairs), 0.0, [at for at in range(len(pairs)) if known[at]]
    for at in sorted(left, key=lambda one: -limits[one]):
        floor = max(floor, float((large[:, left].max(axis=1) >= limits[at]).mean()))
        corrected[at] = floor
        left.remove(at)
    return list(zip(p, corrected, strict=True))


row = st.tuples(st.integers(0, 4), st.integers(4, 6), st.integers(4, 6))
three_systems = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.lists(row, min_size=n, max_size=n), min_size=3, max_size=3)
)


@settings(max_examples=60)
@given(three_systems)
def test_few_dialogues_are_tested_by_all_swaps(rows: list[list[tuple[int, int, int]]]) -> None:
    systems = [overlaps(one) for one in rows]
    found = all_pairs(systems, OVERLAP)
    assert found.exact
    expected = enumerated(systems, OVERLAP)
    for one, (p, corrected) in zip(found.tests, expected, strict=True):
        assert one.p == pytest.approx(p)
        assert one.p_adjusted == pytest.approx(corrected)


def test_random_swaps_come_near_to_all_swaps() -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 3, (2, 14, 1))
    rows[1] = (rows[0] + rng.integers(1, 3, (14, 1))) % 5
    full = np.concatenate([rows, np.full((2, 14, 2), 5)], axis=2)
    systems = [overlaps(one.tolist()) for one in full]
    found = all_pairs(systems, OVERLAP)
    assert not found.exact
    ((p, _),) = enumerated(systems, OVERLAP)
    assert found.tests[0].p == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / found.rounds))


def test_the_p_value_of_hits_is_the_sign_tests() -> None:
    a, b = [True] * 40 + [False] * 25, [False] * 40 + [True] * 25
    found = compare_two(hits(a + [True] * 900), hits(b + [True] * 900), [P1]).tests[0]
    exact = 2 * sum(math.comb(65, k) for k in range(40, 66)) / 2**65
    assert found.p == pytest.approx(exact, abs=0.01)


def test_equal_systems_are_never_told_apart() -> None:
    counts = hits([True, False] * 20)
    found = compare_two(counts, counts, ranking_metrics())
    assert {(one.p, one.p_adjusted, one.differs, one.low, one.high) for one in found.tests} == {(1, 1, False, 0, 0)}
    assert found.size == 0


def test_twenty_wins_of_twenty_are_a_difference_and_five_of_five_are_none() -> None:
    assert compare_two(hits([True] * 20), hits([False] * 20), [P1]).tests[0].differs
    found = compare_two(hits([True] * 5), hits([False] * 5), [P1])
    assert found.exact
    assert (found.tests[0].p, found.tests[0].differs) == (2 / 32, False)


@settings(max_examples=40)
@given(st.lists(st.tuples(row, row), min_size=6, max_size=40), st.integers(0, 99))
def test_exchanging_the_systems_turns_the_sign_alone(pairs: list[tuple[Any, Any]], seed: int) -> None:
    a, b = overlaps([one for one, _ in pairs]), overlaps([other for _, other in pairs])
    forth, back = (compare_two(*two, [OVERLAP], seed=seed, rounds=500).tests[0] for two in ((a, b), (b, a)))
    assert (forth.p, forth.p_adjusted) == (back.p, back.p_adjusted)
    assert forth.difference == -back.difference
    assert (forth.low, forth.high) == pytest.approx((-back.high, -back.low))


@settings(max_examples=40)
@given(st.integers(2, 5), st.integers(6, 60), st.integers(0, 9_999))
def test_the_interval_of_a_difference_agrees_with_the_verdict(systems: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    flags = rng.random((systems, n)) < rng.uniform(0.2, 0.9, (systems, 1))
    for one in all_pairs([hits(each.tolist()) for each in flags], P1, rounds=500).tests:
        assert one.low <= one.difference <= one.high
        assert one.differs == (not one.low <= 0 <= one.high)
        assert one.p <= one.p_adjusted


def test_the_order_of_items_and_contrasts_does_not_matter() -> None:
    data = np.random.default_rng(1).random((3, 40)) < 0.6
    systems = [hits(each.tolist()) for each in data]
    order = np.random.default_rng(2).permutation(40).tolist()
    contrasts = [Contrast(0, 1, P1), Contrast(0, 2, P1), Contrast(1, 2, P1)]
    plain = paired_tests(systems, contrasts, rounds=500)
    mixed = paired_tests([systems[0], systems[1].take(order), systems[2]], contrasts[::-1], rounds=500)
    assert plain.tests == mixed.tests[::-1]


def test_all_tests_of_a_family_share_the_swaps() -> None:
    """The same pair on two scores that always agree costs no correction: dependence is kept."""
    data = np.random.default_rng(4).random((2, 60)) < np.array([[0.8], [0.6]])
    a, b = (hits(each.tolist()) for each in data)
    alone = compare_two(a, b, [P1])
    twice = compare_two(a, b, [P1, PrecisionAt(2)])  # a hit is at rank 1, so both are the same
    assert twice.tests[0].p_adjusted == alone.tests[0].p_adjusted == alone.tests[0].p


class Precision(Metric[Any]):
    """NaN where nothing is said."""

    name = "precision"
    columns = ("right", "said")
    formula = "precision = right / said"

    def count(self, seen: Any) -> tuple[float, ...]:
        raise NotImplementedError

    def total(self, sums: Floats) -> Floats:
        return share(sums[..., 0], sums[..., 1])


def test_what_has_no_value_is_not_tested_and_costs_the_others_nothing() -> None:
    rng = np.random.default_rng(2)
    names = tuple(f"{number:03}" for number in range(50))
    talkers = [Counts(names, Precision.columns, np.column_stack([rng.random(50) < p, np.ones(50)])) for p in (0.9, 0.5)]
    silent = Counts(names, Precision.columns, np.zeros((50, 2)))
    found = all_pairs([*talkers, silent], Precision())
    assert found.size == 1
    both, *others = found.tests
    assert both.differs
    assert both.p_adjusted == both.p
    for one in others:
        assert math.isnan(one.p)
        assert math.isnan(one.p_adjusted)
        assert math.isnan(one.low)
        assert not one.differs


def test_a_swap_that_leaves_no_value_counts_as_large() -> None:
    names = tuple(f"{number:03}" for number in range(6))
    once = np.zeros((6, 2))
    once[0] = 1, 1
    other = np.zeros((6, 2))
    other[1] = 0, 1
    found = compare_two(Counts(names, Precision.columns, once), Counts(names, Precision.columns, other), [Precision()])
    assert found.exact
    assert found.tests[0].p == 1.0  # swapped alone, one of the two says nothing


class Points(Metric[Any]):
    """A mean over six dialogues."""

    name = "points"
    columns = ("points",)
    formula = "points / 6"
    percent = False

    def count(self, seen: Any) -> tuple[float, ...]:
        raise NotImplementedError

    def total(self, sums: Floats) -> Floats:
        return sums[..., 0] / 6


def test_swaps_that_leave_no_value_are_no_part_of_the_spread_nor_of_other_tests() -> None:
    names = tuple(f"{number:03}" for number in range(6))
    columns = (*Precision.columns, *Points.columns)
    a = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=float)
    b = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=float)
    found = compare_two(Counts(names, columns, a), Counts(names, columns, b), [Precision(), Points()])
    precision, points = found.tests
    assert found.exact
    assert precision.p == 0.25  # of 16 swaps of four dialogues two leave the difference, two leave no value
    assert points.p == points.p_adjusted == 0.25  # 2 of 8, and no swap gives the other a larger statistic


def test_dialogues_are_swapped_whole() -> None:
    rng = np.random.default_rng(7)
    better = np.repeat(rng.random(16) < 0.8, 20).tolist()
    worse = np.repeat(rng.random(16) < 0.5, 20).tolist()
    groups = [f"{number // 20:02}" for number in range(320)]
    together = compare_two(hits(better, groups=groups), hits(worse, groups=groups), [P1])
    apart = compare_two(hits(better), hits(worse), [P1])
    assert (together.dialogues, apart.dialogues) == (16, 320)
    assert together.tests[0].p > 20 * apart.tests[0].p


def test_a_p_value_that_is_too_near_to_call_gets_more_swaps() -> None:
    a = [True] * 30 + [False] * 16
    found = compare_two(hits(a), hits([not flag for flag in a]), [P1], rounds=1_000)  # exact p = 0.054
    assert found.rounds == 16_000
    clear = compare_two(hits([True] * 40), hits([False] * 40), [P1], rounds=1_000)
    assert clear.rounds == 1_000


@pytest.mark.parametrize(("systems", "cost"), [(2, 16), (3, 3)])
def test_swaps_do_not_grow_beyond_the_work_that_is_allowed(
    monkeypatch: pytest.MonkeyPatch, systems: int, cost: int
) -> None:
    """A test of a straight line costs one, of a formula that is totalled anew sixteen; three systems have three."""
    a = [True] * 30 + [False] * 16
    counts = [hits(a), hits([not flag for flag in a]), hits(a)][:systems]
    for allowed, rounds in ((4_000 * cost, 4_000), (4_000 * cost - 1, 1_000)):
        monkeypatch.setattr(significance, "_TOTALS", allowed)
        assert all_pairs(counts, P1, rounds=1_000).rounds == rounds


def test_many_systems_are_found_where_holm_would_see_nothing() -> None:
    rng = np.random.default_rng(5)
    flags = rng.random((33, 400)) < np.array([0.9] * 16 + [0.5] * 17)[:, None]
    found = all_pairs([hits(each.tolist()) for each in flags], P1, rounds=2_000)
    shown = [one.differs for one in found.tests]
    assert sum(shown) >= 0.99 * 16 * 17
    assert min(one.p for one in found.tests) * len(found.tests) > ALPHA  # what Holm's first step would look at


def test_the_detectable_difference_grows_with_the_family() -> None:
    rng = np.random.default_rng(6)
    systems = [hits((rng.random(300) < 0.6).tolist()) for _ in range(10)]
    alone = compare_two(systems[0], systems[1], [P1]).tests[0].detectable
    among = all_pairs(systems, P1, rounds=2_000).tests[0].detectable
    expected = (1.96 + 0.84) * math.sqrt(2 * 0.6 * 0.4 / 300)
    assert alone == pytest.approx(expected, rel=0.1)
    assert among > 1.2 * alone


def against(wins: int, losses: int) -> list[Counts]:
    """Return two systems over twelve items, of which the first wins some, then the second some."""
    numbers = range(12)
    return [hits([n < wins for n in numbers]), hits([wins <= n < wins + losses for n in numbers])]


def test_what_is_told_apart_late_has_the_interval_of_the_tests_that_are_left() -> None:
    """Eight of nine is no difference among four tests, but one beside two that hold nothing (eight items, 4 : 4).

    Theirs is 6 / sqrt(8): seven of the eight items one way. A family that is told apart as a whole leaves none, and
    what is told apart last has an interval that just excludes 0.
    """
    played = [*against(8, 1), *against(6, 0), *against(4, 4), *against(4, 4)]
    found = paired_tests(played, [Contrast(at, at + 1, P1) for at in range(0, 8, 2)])
    late = found.tests[0]
    assert late.p_adjusted < ALPHA
    own = math.sqrt(9 / 144 - (7 / 12) ** 2 / 12)
    half = 6 / math.sqrt(8) * own / math.sqrt(1 - 36 / 8 / 12)
    assert (late.low, late.high) == pytest.approx((7 / 12 - half, 1.0), rel=1e-12)
    assert 7 / 12 + half > 1.0  # no difference of shares is greater
    played = [*against(10, 0), *against(8, 1)]
    first, last = paired_tests(played, [Contrast(at, at + 1, P1) for at in (0, 2)]).tests
    assert first.p_adjusted < last.p_adjusted < ALPHA
    assert (last.low, last.high) == pytest.approx((0.0, 1.0), abs=1e-8)
    assert last.low > 1e-12
    half = 7 / 3 * math.sqrt(10 / 144 - (10 / 12) ** 2 / 12) / math.sqrt(1 - 49 / 9 / 12)  # that of the whole family
    assert (first.low, first.high) == pytest.approx((10 / 12 - half, min(1.0, 10 / 12 + half)), rel=1e-12)


def test_other_items_are_refused_with_the_difference() -> None:
    with pytest.raises(
        UsageError, match=r"0 are shared, 2 only in A \(first '00000'\), 1 only in B \(first 'x00000'\)"
    ):
        compare_two(hits([True, True]), hits([True], prefix="x"), [P1])


def test_other_columns_groups_and_wrong_numbers_are_refused() -> None:
    a = hits([True, False])
    with pytest.raises(UsageError, match="they cannot be paired"):
        compare_two(a, Counts(a.ids, a.columns[:2], a.array[:, :2]), [P1])
    with pytest.raises(UsageError, match=r"different dialogues.*score both against the same truth file"):
        compare_two(a, Counts(a.ids, a.columns, a.array, ("x", "x")), [P1])
    with pytest.raises(UsageError, match="at least 100"):
        compare_two(a, a, [P1], rounds=99)
    with pytest.raises(UsageError, match="no items to resample"):
        compare_two(hits([]), hits([]), [P1])
    with pytest.raises(UsageError, match="no items to resample"):
        compare_two(hits([]), a, [P1])
    with pytest.raises(UsageError, match="0 are shared"):
        compare_two(a, hits([]), [P1])


@pytest.mark.parametrize(("dialogues", "exact", "swaps"), [(12, True, 2**12), (13, False, 500)])
def test_all_swaps_of_up_to_twelve_dialogues_are_gone_through(dialogues: int, exact: object, swaps: int) -> None:
    same = [True, False] * 10  # where both do alike a swap changes nothing
    found = all_pairs([hits([True] * dialogues + same), hits([False] * dialogues + same)], P1, rounds=500)
    assert (found.exact, found.rounds) == (exact, swaps)


def test_a_hundred_swaps_are_enough_and_whole_blocks_are_made() -> None:
    found = compare_two(hits([True] * 40), hits([False] * 40), [P1], rounds=100)
    assert (found.rounds, found.tests[0].p) == (250, 1 / 251)  # the outcome itself is one of them


@pytest.mark.parametrize(("dialogues", "told"), [(4, False), (5, True)])
def test_with_fewer_than_five_dialogues_nothing_is_said_of_chance(dialogues: int, *, told: bool) -> None:
    found = compare_two(hits([True] * dialogues), hits([False] * dialogues), [P1]).tests[0]
    assert (not math.isnan(found.low), not math.isnan(found.high)) == (told, told)


@pytest.mark.parametrize(
    ("points", "fewer"),
    [
        pytest.param((9.0, -2, 5, 1, -4, 3, 7, -1, 2, 6, -5, 8), 204, id="twelve dialogues"),
        pytest.param((1.0, -2, 4, 8, -16, 32), 3, id="six, and an odd number of swaps above the threshold"),
    ],
)
def test_an_interval_holds_the_differences_that_the_same_threshold_would_not_refuse(
    points: tuple[float, ...], fewer: int
) -> None:
    n, each = len(points), np.array(points)
    names = tuple(f"{number:03}" for number in range(n))
    a, b = (Counts(names, Points.columns, column[:, None]) for column in (each, np.zeros(n)))
    found = compare_two(a, b, [Points()])
    (test,) = found.tests
    scale = each.sum() / test.difference
    sums = np.abs(np.array([np.dot(signs, each) for signs in product((1.0, -1.0), repeat=n)])) / scale
    assert found.exact
    assert scale == pytest.approx(6)
    assert test.p == pytest.approx((sums >= abs(test.difference) - 1e-9).mean())
    spread = math.sqrt(float(np.square(sums).mean()))
    assert fewer == math.ceil(ALPHA * len(sums)) - 1  # so many are fewer than one in twenty
    threshold = np.sort(sums)[-1 - fewer] / spread
    own = math.sqrt(spread**2 - test.difference**2 / n)
    for end in (test.low, test.high):
        away = abs(end - test.difference)
        assert away == pytest.approx(threshold * math.sqrt(own**2 + away**2 / n))
    half = test.high - test.difference
    assert test.detectable == pytest.approx(half + 0.8416212335729143 * math.sqrt(own**2 + half**2 / (2 * n)))


def test_no_interval_of_a_difference_goes_beyond_the_greatest_that_there_can_be() -> None:
    (test,) = compare_two(hits([True] * 12), hits([False] * 11 + [True]), [P1]).tests
    assert test.difference == pytest.approx(11 / 12)
    assert test.high == 1.0
    assert 0 < test.low < 11 / 12
    (other,) = compare_two(hits([False] * 11 + [True]), hits([True] * 12), [P1]).tests
    assert (other.low, other.high) == (-1.0, -test.low)
    names = tuple(f"{number:03}" for number in range(12))
    a, b = (Counts(names, Points.columns, column[:, None]) for column in (np.arange(12.0), np.zeros(12)))
    (points,) = compare_two(a, b, [Points()]).tests
    assert points.high > points.difference > 1  # of a score without bounds


def test_outcomes_are_pinned() -> None:
    rng = np.random.default_rng(8)
    flags = rng.random((4, 90)) < np.array([0.9, 0.85, 0.6, 0.5])[:, None]
    found = all_pairs([hits(each.tolist()) for each in flags], P1, rounds=2_000)
    told = [
        [round(value, 6) for value in (one.low, one.high, one.p, one.p_adjusted, one.detectable)] for one in found.tests
    ]
    assert told == PINNED


PINNED = [
    [-0.022372, 0.200149, 0.065467, 0.108946, 0.147454],
    [0.211316, 0.499795, 0.0005, 0.0005, 0.191161],
    [0.225776, 0.52978, 0.0005, 0.0005, 0.201448],
    [0.09769, 0.435644, 0.0005, 0.0005, 0.223946],
    [0.115492, 0.462285, 0.0005, 0.0005, 0.229803],
    [-0.163337, 0.207781, 0.869565, 0.869565, 0.245922],
]


@pytest.mark.parametrize(("seed", "large", "grows"), [(0, 70, True), (20, 71, False)])
def test_nearer_than_three_standard_errors_is_too_near_to_call(
    monkeypatch: pytest.MonkeyPatch, seed: int, large: int, *, grows: bool
) -> None:
    """Of 1,001 outcomes 70.7 are three standard errors of 0.05 away from it."""
    a = [True] * 25 + [False] * 13
    both = hits(a), hits([not flag for flag in a])
    assert (compare_two(*both, [P1], seed=seed, rounds=1_000).rounds > 1_000) is grows
    monkeypatch.setattr(significance, "_LIMIT", 1)
    assert compare_two(*both, [P1], seed=seed, rounds=1_000).tests[0].p == pytest.approx(large / 1_001)
