from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t as students_t  # in the tests only

from duologue.metrics import student
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


def test_nodes_and_the_table_of_a_level_are_made_once() -> None:
    assert student._rule() is student._rule()
    assert student._table(0.05) is student._table(0.05)


def test_a_chance_stays_between_0_and_1_whatever_the_rounding() -> None:
    for freedom in (1.0, 4.0, 50.0, 1e6):
        assert all(0 <= student_tail(at, freedom) <= 1 for at in (0.0, 1e-9, 40.0, 1e6))


def test_fewer_than_one_degree_of_freedom_is_one_in_a_table() -> None:
    assert student_cuts(np.array([0.2, 1.0])).tolist() == [pytest.approx(12.7062, rel=1e-5)] * 2
