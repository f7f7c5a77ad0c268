"""Coefficients of agreement against published worked examples and other libraries' figures.

The figures were computed once, on 2026-11-23, with krippendorff 0.9.0 (`alpha(..., value_domain=[1, 2, 3, 4, 5])`),
irrCAC 0.4.4 (`CAC(table, weights="identity", categories=[1, 2, 3, 4, 5]).fleiss()` and `.gwet()`), statsmodels 0.15.0
(`fleiss_kappa`), scikit-learn 1.9.1 (`cohen_kappa_score`) and pingouin (`intraclass_corr`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from duologue.ratings.coefficients import (
    COEFFICIENTS,
    FleissKappa,
    GwetAc1,
    IntraclassCorrelation,
    KrippendorffAlpha,
    WeightedKappa,
    category_counts,
)

if TYPE_CHECKING:
    from duologue.metrics.counts import Floats
    from duologue.ratings.coefficients import Coefficient, Level, Weights

NAN = math.nan
MISSING = np.array(
    [  # Krippendorff 2011, section C: four observers, twelve units
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
FULL = np.array([[2, 1, 3, 4, 2, 1, 5, 3], [2, 2, 3, 4, 1, 1, 5, 2], [3, 1, 3, 5, 2, 1, 4, 3]], dtype=float).T
JUDGES = np.array(
    [  # Shrout and Fleiss 1979, table 2: six targets, four judges
        [9, 2, 5, 8],
        [6, 1, 3, 2],
        [8, 4, 6, 8],
        [7, 1, 2, 6],
        [10, 5, 6, 9],
        [6, 2, 4, 7],
    ],
    dtype=float,
)


def value(coefficient: Coefficient, units: Floats, points: int = 5) -> float:
    return float(coefficient.total(coefficient.sums(units - 1, points).sum(axis=0), points))


@pytest.mark.parametrize(
    ("level", "expected"),
    [("nominal", 0.743421052631579), ("ordinal", 0.8153875037548814), ("interval", 0.8491071428571428)],
)
def test_alpha_of_the_published_example_with_missing_ratings(level: Level, expected: float) -> None:
    assert value(KrippendorffAlpha(level), MISSING) == pytest.approx(expected, abs=1e-12)


def test_fleiss_kappa_and_ac1() -> None:
    assert value(FleissKappa(), FULL) == pytest.approx(0.36, abs=1e-12)
    assert value(GwetAc1(), FULL) == pytest.approx(0.378640776699, abs=1e-11)
    assert value(FleissKappa(), MISSING) == pytest.approx(0.761169275422, abs=1e-11)
    assert value(GwetAc1(), MISSING) == pytest.approx(0.775444068127, abs=1e-11)


@pytest.mark.parametrize(
    ("weights", "two", "three"),
    [
        ("none", 0.52, 0.3723076923076923),
        ("linear", 0.7446808510638299, 0.6631205673758865),
        ("quadratic", 0.8928571428571429, 0.8564935064935065),
    ],
)
def test_weighted_kappa_of_two_raters_and_the_mean_of_three_pairs(weights: Weights, two: float, three: float) -> None:
    assert value(WeightedKappa(weights), FULL[:, :2]) == pytest.approx(two, abs=1e-12)
    assert value(WeightedKappa(weights), FULL) == pytest.approx(three, abs=1e-12)


def test_intraclass_correlation_of_the_published_example() -> None:
    assert value(IntraclassCorrelation(mean=False), JUDGES, 10) == pytest.approx(0.289764, abs=1e-6)
    assert value(IntraclassCorrelation(mean=True), JUDGES, 10) == pytest.approx(0.620051, abs=1e-6)
    assert round(value(IntraclassCorrelation(mean=False), JUDGES, 10), 2) == 0.29  # as printed in the paper
    assert round(value(IntraclassCorrelation(mean=True), JUDGES, 10), 2) == 0.62


@pytest.mark.parametrize("coefficient", COEFFICIENTS, ids=lambda one: one.name)
def test_perfect_agreement_is_one_and_sums_of_parts_are_those_of_the_whole(coefficient: Coefficient) -> None:
    same = np.repeat(FULL[:, :1], 3, axis=1)
    assert value(coefficient, same) == pytest.approx(1.0)
    sums = coefficient.sums(FULL - 1, 5)
    leaving = coefficient.total(sums.sum(axis=0) - sums, 5)
    assert leaving[3] == pytest.approx(value(coefficient, np.delete(FULL, 3, axis=0)), abs=1e-12)


def test_rater_order_does_not_matter() -> None:
    for coefficient in COEFFICIENTS:
        assert value(coefficient, FULL[:, ::-1]) == pytest.approx(value(coefficient, FULL), abs=1e-12)


def test_missing_ratings_are_in_no_category() -> None:
    assert category_counts(np.array([[NAN, 1.0], [NAN, NAN]]), 2).tolist() == [[0.0, 1.0], [0.0, 0.0]]
