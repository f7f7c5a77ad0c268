from __future__ import annotations

import math

import numpy as np
import pytest

from duologue.ratings.contrasts import PairTest, corrected, difference_test, estimate, holm
from duologue.ratings.two_way import Errors


def errors(error: float, freedom: float = 10.0, items: int = 20) -> Errors:
    return Errors(np.array([error]), np.array([freedom]), items, 5)


def test_holm_is_that_of_a_worked_example_and_leaves_out_what_was_not_tested() -> None:
    # Holm 1979's rule on 0.01, 0.04, 0.03, 0.005 by hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, then no less than before
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    found = holm(np.array([math.nan, 0.04]))
    assert math.isnan(found[0])
    assert found[1] == 0.04
    made = corrected([PairTest("a", "b", 1.0, 0.5, 1.5, 0.01, 0.01), PairTest("a", "c", -1.0, -2, 0, 0.04, 0.04)])
    assert [one.p_adjusted for one in made] == [0.02, 0.04]
    assert [one.better for one in made] == ["a", "c"]


def test_ends_stay_on_the_scale_and_equal_ratings_get_an_interval_too() -> None:
    assert estimate(1.9, errors(0.2), 0, 0, 2).high == 2.0
    same = estimate(2.0, errors(0.0), 0, 0, 2)
    assert same.low is not None
    assert 1.5 < same.low < 2.0 == same.high
    assert estimate(1.0, errors(0.1, items=4), 0, 0, 2).low is None


def test_a_test_and_its_interval_say_the_same() -> None:
    for difference in (0.2, 0.22, 0.23, 0.3):
        one = difference_test("a", "b", difference, errors(0.1))
        assert one.low is not None
        assert (one.low > 0) == (one.p < 0.05)
    assert difference_test("a", "b", 0.0, errors(0.0)).p == 1.0
    assert math.isnan(difference_test("a", "b", 1.0, errors(0.0)).p)
    assert math.isnan(difference_test("a", "b", 1.0, errors(0.1, items=3)).p)
    assert difference_test("a", "b", 1.0, errors(0.1, items=3)).better is None
