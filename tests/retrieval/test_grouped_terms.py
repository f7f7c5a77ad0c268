from __future__ import annotations

import math

import pytest

from duologue.retrieval.grouped_terms import GroupedTerms

ROWS = [
    [(1.0, ["a", "b"]), (0.5, ["x"])],
    [(1.0, ["a", "a"]), (0.5, ["y"])],
    [(1.0, []), (0.5, ["y"])],
]


def test_a_row_is_as_similar_to_itself_as_its_groups_weigh() -> None:
    index = GroupedTerms(ROWS)
    for number, row in enumerate(ROWS):
        weights = sum(weight for weight, terms in row if terms)
        assert index.similarities(row)[number] == pytest.approx(weights, rel=1e-6)


def test_rare_terms_count_more_and_each_group_by_itself() -> None:
    a, b = math.log(3 / 3) + 0.3, math.log(3 / 2) + 0.3  # a in two rows of three, b in one
    found = GroupedTerms(ROWS).similarities([(1.0, ["a"])])
    assert found.tolist() == pytest.approx([a / math.hypot(a, b), 1.0, 0.0], rel=1e-6)


def test_unknown_terms_are_like_nothing() -> None:
    assert GroupedTerms(ROWS).similarities([(1.0, ["z"])]).tolist() == [0.0, 0.0, 0.0]
