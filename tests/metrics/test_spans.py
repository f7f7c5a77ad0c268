from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.metrics.spans import Columns, Match, Measure, Weighted, count_matches, gather
from duologue.metrics.spans import Match as F

MEASURES: tuple[Measure, ...] = ("precision", "recall", "f1")
counts = st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50)).map(
    lambda three: (min(three), max(three), sorted(three)[1])
)


def value(measure: Measure, right: float, said: float, wanted: float, **options: Any) -> float:
    return float(Match("x", measure, **options).total(np.array([right, said, wanted], dtype=float)))


def test_the_measures_of_a_hand_counted_case() -> None:
    assert [value(measure, 3, 4, 6) for measure in MEASURES] == pytest.approx([0.75, 0.5, 0.6])


def test_nothing_over_nothing_is_what_was_agreed() -> None:
    assert [value(measure, 0, 0, 0) for measure in MEASURES] == [0, 0, 0]
    assert math.isnan(value("f1", 0, 0, 0, empty=math.nan))
    assert math.isnan(value("f1", 0, 4, 4, empty=math.nan))  # P + R is zero, as in scripts that divide by it


def test_an_epsilon_keeps_a_perfect_score_below_one() -> None:
    perfect = value("f1", 9, 9, 9, epsilon=1e-10)
    share = 9 / (9 + 1e-10)
    assert perfect == 2 * share * share / (share + share + 1e-10)
    assert perfect < 1
    assert "(+1e-10)" in Match("x", "f1", epsilon=1e-10).formula


@given(counts)
def test_every_measure_is_a_fraction_and_f1_lies_between_the_other_two(three: tuple[int, int, int]) -> None:
    precision, recall, f1 = (value(measure, *three) for measure in MEASURES)
    assert 0 <= min(precision, recall) <= f1 + 1e-12
    assert f1 <= max(precision, recall) + 1e-12 <= 1 + 1e-12


@given(st.lists(counts, min_size=1, max_size=5))
def test_a_formula_takes_many_sums_at_once(many: list[tuple[int, int, int]]) -> None:
    for measure in MEASURES:
        together = Match("x", measure).total(np.array(many, dtype=float))
        assert together.tolist() == pytest.approx([value(measure, *three) for three in many])


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_matches_are_the_intersection_of_multisets(said: list[str], wanted: list[str]) -> None:
    assert count_matches(said, wanted) == (Counter(said) & Counter(wanted)).total() == count_matches(wanted, said)


def test_a_weighted_sum_reads_the_columns_of_its_parts() -> None:
    both = Weighted("mean", ((0.5, F("a", "f1")), (0.5, F("b", "recall"))), "mean = (a-f1 + b-recall) / 2")
    assert both.columns == ("a right", "a said", "a wanted", "b right", "b said", "b wanted")
    assert float(both.total(np.array([1, 1, 1, 1, 9, 2], dtype=float))) == 0.75
    assert both.count({"a right": 1, "b wanted": 2}) == (1, 0, 0, 0, 0, 2)
    assert isinstance(both, Columns)


def test_counts_are_gathered_with_zeros_for_what_an_item_lacks() -> None:
    found = gather(("a", "b"), ["x", "y"], [{"a": 1}, {"b": 2, "c": 3}], ["d", "d"])
    assert found.array.tolist() == [[1, 0], [0, 2]]
    assert found.groups == ("d", "d")
    assert gather(("a",), [], []).array.shape == (0, 1)
