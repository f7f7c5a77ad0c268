"""How records show themselves in a notebook and in print; data frames are tested with the functions of a notebook."""

from __future__ import annotations

import math
import sys

import pytest

from duologue.core import notebook
from duologue.core.marked_text import MarkedText, Stretch
from duologue.core.notebook import html_table, text_table

ROWS: list[list[object]] = [["f1", 0.5, 12], ["bleu-1", None, 7]]


def test_numbers_stand_at_the_right_of_their_columns_and_texts_at_the_left() -> None:
    assert text_table("scores", ["name", "value", "items"], ROWS, below=["ranked by f1"]) == (
        "scores\nname     value  items\nf1      0.5000     12\nbleu-1       -      7\nranked by f1"
    )


def test_a_column_with_a_text_among_its_numbers_is_one_of_texts() -> None:
    assert text_table("t", ["value", "n"], [["ten", 1], [10.0, 2]]) == "t\nvalue    n\nten      1\n10.0000  2"


def test_no_rows_are_a_head_alone() -> None:
    assert text_table("scores", ["name", "value"], []) == "scores\nname  value"
    assert html_table("t", ["name"], []) == "<table><caption>t</caption><tr><th>name</th></tr></table>"


def test_html_has_figures_as_print_has_and_what_is_below_behind_the_table() -> None:
    assert html_table("scores", ["name", "value", "items"], ROWS, below=["a < b", "c"]) == (
        "<table><caption>scores</caption><tr><th>name</th><th>value</th><th>items</th></tr>"
        "<tr><td>f1</td><td>0.5000</td><td>12</td></tr><tr><td>bleu-1</td><td>-</td><td>7</td></tr></table>"
        "<p>a &lt; b</p><p>c</p>"
    )


@pytest.mark.parametrize(("rows", "left"), [(3, 0), (4, 1), (1203, 1200)])
def test_rows_beyond_the_most_are_counted(rows: int, left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "_ROWS", 3)
    listed = [[f"r{number}", number] for number in range(rows)]
    *_, last = text_table("t", ["name", "n"], listed).splitlines()
    assert last == (f"and {left} more" if left else "r2    2")
    page = html_table("t", ["name", "n"], listed)
    assert page.count("<td>r") == 3
    assert page.endswith(
        f'<tr><td colspan="2">and {left} more</td></tr></table>' if left else "<td>2</td></tr></table>"
    )


def test_what_a_terminal_or_a_browser_would_obey_is_spelled_out() -> None:
    shown = text_table("a\x1b", ["b\n"], [["c\r"]], below=["d\x07", "e"])
    assert shown == "a\\x1b\nb\\n\nc\\r\nd\\x07\ne"
    page = html_table("<a>\x1b", ["<b>"], [["<c>"]])
    assert (
        page == "<table><caption>&lt;a&gt;\\x1b</caption><tr><th>&lt;b&gt;</th></tr><tr><td>&lt;c&gt;</td></tr></table>"
    )


def test_marks_within_a_text_are_kept_in_html() -> None:
    marked = MarkedText("all <of> it", (Stretch(4, 8, "part"),))
    cell = 'all <mark title="part">&lt;of&gt;</mark> it'
    assert html_table("t", ["text"], [[marked]]).endswith(f"<td>{cell}</td></tr></table>")


def test_what_is_no_number_is_said_so() -> None:
    assert text_table("t", ["value"], [[math.nan]]) == "t\nvalue\n  nan"


def test_two_hundred_rows_are_shown() -> None:
    listed = [[f"r{number}"] for number in range(201)]
    assert text_table("t", ["name"], listed[:200]).splitlines()[-1] == "r199"
    assert text_table("t", ["name"], listed).splitlines()[-2:] == ["r199", "and 1 more"]
    assert html_table("t", ["name"], listed).count("<td>r") == 200


def test_without_pandas_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="this needs pandas, which is not installed: pip install pandas"):
        notebook.data_frame(["a"], [[1]])
