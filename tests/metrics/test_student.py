from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t as students_t  # in the tests only

from duologue.metrics.student import student_cut, student_cuts, student_tail


@pytest.mark.parametrize("freedom", [1.0, 1.3, 2.0, 3.7, 12.0, 250.0, 1e6, 1e9])
def test_tails_and_cuts_are_those_of_the_distribution(freedom: float) -> None:
    for at in (0.0, 0.3, 1.96, 4.0, 9.0):
        assert student_tail(at, freedom) == pytest.approx(2 * float(students_t.sf(at, freedom)), abs=1e-9)
    for level in (0.05, 0.01):
        assert student_cut(freedom, level) == pytest.approx(float(students_t.ppf(1 - level / 2, freedom)), rel=1e-7)
        assert student_cuts(np.array([freedom]), level)[0] == pytest.approx(student_cut(freedom, level), rel=1e-6)


def test_what_is_no_number_has_no_tail() -> None:
    assert math.isnan(student_tail(math.nan, 3))
    assert student_tail(math.inf, 3) == 0.0


def test_the_level_is_five_percent_where_none_is_given() -> None:
    assert student_cut(7.0) == student_cut(7.0, 0.05)
    assert student_cuts(np.array([7.0])).tolist() == student_cuts(np.array([7.0]), 0.05).tolist()
