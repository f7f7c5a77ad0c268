"""The logistic slope against statsmodels.

The figures were computed once, on 2026-11-23, with statsmodels 0.15.0:
`GLM(WINS, add_constant(RATIOS), family=Binomial()).fit(cov_type="HC0")`,
which has no factor for few pairs.
"""

from __future__ import annotations

import math

import pytest

from duologue.judges.length_slope import length_slope
from duologue.metrics.student import student_cut

RATIOS = [
    *(0.3, 0.54, 0.08, -0.41, -0.06, -0.49, 0.35, 1.37, -0.09, -0.2, 0.69, 0.59),
    *(0.38, -0.44, 0.28, 0.86, -0.78, -0.07, -1.22, -0.73, -1.17, 0.11, -0.71, 0.52),
]
WINS = [
    *(1.0, 1.0, 0.5, 0.0, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 0.5, 1.0),
    *(1.0, 1.0, 0.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.5),
]


def test_slope_and_errors_are_those_of_statsmodels() -> None:
    found = length_slope(WINS, RATIOS)
    assert found.slope is not None
    assert found.high is not None
    assert found.slope == pytest.approx(1.5541614, abs=1e-7)
    assert (found.high - found.slope) / student_cut(22) == pytest.approx(0.55801661 * math.sqrt(24 / 22), abs=1e-7)
    assert found.even == pytest.approx(1 / (1 + 2.718281828459045**-0.42104642), abs=1e-7)
    assert found.n == 24


def test_turning_all_pairs_turns_the_chance_and_keeps_the_slope() -> None:
    one, other = length_slope(WINS, RATIOS), length_slope([1 - win for win in WINS], [-ratio for ratio in RATIOS])
    assert other.slope == pytest.approx(one.slope)
    assert other.even == pytest.approx(1 - (one.even or 0))


@pytest.mark.parametrize(
    ("wins", "ratios", "why"),
    [
        (WINS[:9], RATIOS[:9], "there are 9 pairs"),
        (WINS, [0.0] * 24, "the same ratio of lengths"),
        ([1.0] * 24, RATIOS, "says the same of all pairs"),
        ([float(ratio > 0) for ratio in RATIOS], RATIOS, "without an exception"),
    ],
)
def test_where_there_is_no_slope_it_says_why(wins: list[float], ratios: list[float], why: str) -> None:
    found = length_slope(wins, ratios)
    assert found.slope is None
    assert why in found.why
