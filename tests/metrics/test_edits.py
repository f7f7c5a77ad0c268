from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duologue.metrics.edits import Edits, edits, error_rate


def test_each_kind_of_edit_is_told() -> None:
    assert edits("景点", "竟颠") == Edits(2, 0, 0)
    assert edits("景点", "景点点") == Edits(0, 1, 0)
    assert edits("多久", "久") == Edits(0, 0, 1)
    assert edits("", "") == Edits(0, 0, 0)


def test_of_several_cheapest_ways_the_one_with_fewest_substitutions_is_told() -> None:
    assert edits("ab", "ba") == Edits(0, 1, 1)


def test_the_error_rate_is_pooled() -> None:
    assert error_rate([("abcd", "abxd"), ("ef", "ef")]) == 1 / 6
    assert error_rate([]) == 0
    assert error_rate([("", "ab")]) == 0


@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
def test_the_distance_is_that_of_the_library(one: str, other: str) -> None:
    from rapidfuzz.distance import Levenshtein

    found = edits(one, other)
    assert found.cost == Levenshtein.distance(one, other)
    assert found.inserted - found.deleted == len(other) - len(one)
