"""PPI++ against two other programs.

The figures were computed once, on 2026-11-23: `truescore.ppi_estimate(F + U, Y, range(10))` and `ppi_compare` of
truescore 0.7.4, `ppi_mean_pointestimate` and `ppi_mean_ci(Y, F, U, alpha=0.05)` of ppi-python 0.2.3. Both take normal
deviates; ppi-python divides variances by n, not by n - 1.
"""

from __future__ import annotations

import numpy as np
import pytest

from duologue.metrics.intervals import NORMAL
from duologue.metrics.student import student_cut
from duologue.ratings.prediction_powered import best_weight, judge_alone, prediction_powered

Y = np.array([2, 1, 2, 0, 1, 2, 2, 0, 1, 1], dtype=float)
F = np.array([1.8, 1.1, 1.6, 0.4, 1.3, 1.9, 1.5, 0.7, 0.9, 1.2])
U = np.array([1.2, 0.8, 1.9, 0.3, 1.1, 1.7, 1.4, 0.6, 1.0, 1.5, 0.2, 1.8, 1.3, 0.9, 1.6, 0.5, 1.2, 1.0, 1.7, 0.8])
Y_B = np.array([1, 1, 2, 0, 0, 2, 1, 1, 1, 0], dtype=float)
F_B = np.array([1.2, 1.0, 1.7, 0.6, 0.5, 1.6, 1.2, 0.8, 1.1, 0.4])
U_B = np.array([1.0, 0.9, 1.2, 0.4, 0.6, 1.5, 1.0, 0.8, 0.7, 1.1, 0.5, 1.2, 1.4, 0.3, 1.3, 0.9, 0.8, 1.1, 1.2, 0.4])
ITEMS, ONE = np.arange(10), np.zeros(10, dtype=np.int64)


def test_a_mean_is_that_of_truescore() -> None:
    found = prediction_powered(ITEMS, ONE, Y, F, U)
    assert found is not None
    assert found.value == pytest.approx(1.0957863069532727, abs=1e-9)
    assert found.weight == pytest.approx(0.90620602649328, abs=1e-9)
    assert found.error == pytest.approx(0.1629274870539788, abs=1e-9)
    assert found.value - NORMAL * found.error == pytest.approx(0.7764543002358584, abs=1e-9)
    assert found.value + NORMAL * found.error == pytest.approx(1.415118313670687, abs=1e-9)
    assert found.low < 0.7764543002358584  # Student's t is wider
    assert (found.labels, found.others) == (10, 20)


def test_a_mean_is_that_of_ppi_python() -> None:
    weight = best_weight(Y, F, U, 10)
    left = Y - weight * F
    error = float(np.sqrt(left.var() / 10 + weight**2 * U.var() / 20))
    value = left.mean() + weight * U.mean()
    assert value == pytest.approx(1.09578631, abs=1e-8)
    assert value - NORMAL * error == pytest.approx(0.78964011, abs=1e-8)
    assert value + NORMAL * error == pytest.approx(1.40193251, abs=1e-8)


def test_a_paired_difference_is_that_of_truescore() -> None:
    found = prediction_powered(ITEMS, ONE, Y - Y_B, F - F_B, U - U_B)
    assert found is not None
    assert found.value == pytest.approx(0.28, abs=1e-9)
    assert found.value - NORMAL * found.error == pytest.approx(-0.024227622743424992, abs=1e-9)
    assert found.value + NORMAL * found.error == pytest.approx(0.5842276227434251, abs=1e-9)


def test_weight_zero_is_the_mean_of_people_and_a_judge_that_says_nothing_has_none() -> None:
    people = prediction_powered(ITEMS, ONE, Y, F, U, weight=0)
    assert people is not None
    assert people.value == pytest.approx(Y.mean())
    assert people.error == pytest.approx(Y.std(ddof=1) / np.sqrt(10))
    constant = prediction_powered(ITEMS, ONE, Y, np.ones(10), np.ones(20))
    assert constant is not None
    assert constant.weight == 0.0
    assert constant.value == pytest.approx(Y.mean())
    assert best_weight(Y, -F, -U, 10) == 0.0


def test_equal_ratings_do_not_make_a_figure_certain() -> None:
    same, scale = np.full(10, 3.0), (1.0, 5.0)
    n, t = 10, student_cut(9)
    half = 4 * t / (1 + t**2 / n) * np.sqrt(0.25 / n + t**2 / (4 * n**2))  # Wilson's, as of a share of a half
    for found in (
        prediction_powered(ITEMS, ONE, same, F, U, weight=0, scale=scale),
        prediction_powered(ITEMS, ONE, same, F, U, scale=scale),
        judge_alone(same, scale),
    ):
        assert found is not None
        assert (found.value, found.error) == (3.0, 0.0)
        assert (found.low, found.high) == pytest.approx((3 - half, 3 + half))
    apart = prediction_powered(ITEMS, ONE, same - same, F, U, scale=(-4.0, 4.0))
    assert apart is not None
    assert -4 < apart.low < 0 < apart.high < 4
    unbounded = judge_alone(same)
    assert unbounded is not None
    assert unbounded.low == unbounded.high == 3.0


def test_too_few_answers_give_nothing() -> None:
    assert prediction_powered(ITEMS[:4], ONE[:4], Y[:4], F[:4], U) is None
    assert prediction_powered(ITEMS, ONE, Y, F, U[:1]) is None
    assert prediction_powered(ITEMS, ONE, Y, F, U[:0], weight=0) is not None
    assert judge_alone(U[:4]) is None
    alone = judge_alone(U)
    assert alone is not None
    assert alone.value == pytest.approx(U.mean())


def test_raters_with_tastes_widen_the_interval() -> None:
    rng = np.random.default_rng(1)
    item, rater = np.repeat(np.arange(30), 4), np.tile(np.arange(4), 30)
    judge = rng.normal(size=30)[item]
    human = judge + np.array([-1.0, -0.3, 0.3, 1.0])[rater]
    found = prediction_powered(item, rater, human, judge, rng.normal(size=300))
    assert found is not None
    assert found.error > 0.4
    assert found.freedom < 5
