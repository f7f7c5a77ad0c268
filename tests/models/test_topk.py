from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from duologue.models.topk import stable_topk


@given(st.lists(st.lists(st.integers(-2, 2), min_size=40, max_size=40), min_size=1, max_size=4), st.integers(1, 40))
def test_of_equal_values_the_lower_place_comes_first(rows: list[list[int]], k: int) -> None:
    best, places = stable_topk(torch.tensor(rows).double(), k)
    for row, values, order in zip(rows, best.tolist(), places.tolist(), strict=True):
        expected = sorted(range(40), key=lambda place: -row[place])[:k]
        assert order == expected
        assert values == [row[place] for place in expected]


@pytest.mark.parametrize("size", [10, 1_000, 40_000])
def test_the_highest_of_all_is_where_argmax_finds_it(size: int) -> None:
    values = torch.zeros(2, size).index_fill(1, torch.arange(size // 2, size), 1.0)
    assert stable_topk(values, 1)[1].flatten().tolist() == values.argmax(1).tolist() == [size // 2] * 2
