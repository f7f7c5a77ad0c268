"""Scores with intervals as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.site.interval_figure import interval_figure

if TYPE_CHECKING:
    from duologue.arena.competition.score_shapes import KeptScore


def score(value: float | None, *, percent: bool = True) -> KeptScore:
    return {
        "name": "p@1",
        "value": value,
        "low": None if value is None else value - 0.1,
        "high": value,
        "percent": percent,
    }


def test_each_score_is_a_line_on_one_axis_without_inline_style() -> None:
    found = interval_figure([("<Ann>", None, score(0.5)), ("Bob", None, score(0.7)), ("Eve", None, score(None))])
    assert found is not None
    assert [one.name for one in found.lines] == ["<Ann>", "Bob"], "what has no value is not drawn"
    assert found.score == "p@1"
    drawn = "".join(str(one.drawing) for one in found.lines) + str(found.scale)
    assert "style=" not in drawn
    assert drawn.count("<path") == 2
    assert "100 %" in found.scale
    assert [one.drawing.partition('"line ')[2][:2] for one in found.lines] == ["c0", "c1"]


def test_of_too_many_a_board_shows_the_first_and_a_history_the_last() -> None:
    rows: list[tuple[str, int | None, KeptScore]] = [(f"team {n}", None, score(0.5)) for n in range(40)]
    first, last = interval_figure(rows), interval_figure(rows, last=True)
    assert first is not None
    assert last is not None
    assert (first.lines[0].name, first.lines[-1].name) == ("team 0", "team 29")
    assert (last.lines[0].name, last.lines[-1].name) == ("team 10", "team 39")


def test_a_history_has_one_colour_and_one_score_is_no_figure() -> None:
    found = interval_figure([("a", 1, score(3.0, percent=False)), ("b", 2, score(4.0, percent=False))])
    assert found is not None
    assert {one.drawing.partition('"line ')[2][:2] for one in found.lines} == {"c0"}
    assert "%" not in found.scale.replace('%"', "")
    assert interval_figure([("a", 1, score(0.5)), ("b", 2, score(None))]) is None
