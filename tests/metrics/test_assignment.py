from __future__ import annotations

import itertools
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.core.errors import MissingExtraError
from duologue.metrics.assignment import assign


@pytest.mark.parametrize(
    ("similarity", "found"),
    [
        ([], []),
        ([[], []], [None, None]),
        ([[0.2, 0.9]], [1]),
        ([[0.9], [0.8], [0.7]], [0, None, None]),
        ([[0.9, 0.8], [0.8, 0.1]], [1, 0]),
        ([[0.0, 0.0], [0.0, 0.0]], [0, 1]),
    ],
)
def test_small_cases_by_hand(similarity: list[list[float]], found: list[int | None]) -> None:
    assert assign(similarity) == found


def test_rows_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="inhomogeneous"):
        assign([[1.0], [1.0, 2.0]])


tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(0, 8).map(lambda eighth: eighth / 8), min_size=width, max_size=width),
        min_size=1,
        max_size=4,
    )
)


@given(tables)
def test_no_other_assignment_is_better(similarity: list[list[float]]) -> None:
    found = assign(similarity)
    columns = [place for place in found if place is not None]
    assert len(columns) == len(set(columns)) == min(len(similarity), len(similarity[0]))
    total = sum(similarity[row][place] for row, place in enumerate(found) if place is not None)
    rows, width = range(len(similarity)), len(similarity[0])
    if len(similarity) <= width:
        others = ([(row, place) for row, place in zip(rows, chosen, strict=True)]
                  for chosen in itertools.permutations(range(width), len(similarity)))  # fmt: skip
    else:
        others = ([(row, place) for place, row in enumerate(chosen)]
                  for chosen in itertools.permutations(rows, width))  # fmt: skip
    best = max(sum(similarity[row][place] for row, place in pairs) for pairs in others)
    assert total == best


def test_without_scipy_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(MissingExtraError, match=r"install duologue\[score\]"):
        assign([[1.0]])
