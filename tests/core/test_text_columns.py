from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from duologue.core.text_columns import aligned, text_width


@given(st.text("aZ0 流量（：，。）《》é½–…€あ한\u0301", max_size=12))
def test_texts_are_as_wide_as_terminals_show_them(text: str) -> None:
    assert text_width(text) == cell_len(text)


@pytest.mark.parametrize("right", [(), (False, True)])
def test_columns_begin_or_end_at_the_same_place(right: tuple[bool, ...]) -> None:
    lines = aligned([["name", "n"], ["移动套餐", "1"], ["b", "100"]], right)
    places = {text_width(line[: line.rindex(cell)]) for line, cell in zip(lines, ["n", "1", "100"], strict=True)}
    ends = {text_width(line) for line in lines}
    assert len(ends if right else places) == 1


def test_no_rows_are_no_lines() -> None:
    assert aligned([]) == []
