"""Inline SVG: well-formed, in its bounds, in order."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from duologue.report.figures import MARKS, line, mark, scale, score_axis

FRACTIONS = st.floats(0, 1)


def test_an_axis_shows_all_when_some_score_is_low() -> None:
    axis = score_axis([0.2, 0.6])
    assert (axis.low, axis.high, axis.stretched) == (0, 1, False)


def test_an_axis_is_a_close_up_when_all_scores_are_high() -> None:
    axis = score_axis([0.968, 1.0])
    assert 0.95 <= axis.low <= 0.968
    assert axis.high == 1
    assert 3 <= len(axis.ticks) <= 6


def test_an_axis_is_stretched_when_poor_and_good_scores_meet() -> None:
    axis = score_axis([0.09, 0.99])
    assert axis.stretched
    assert axis.place(1.0) - axis.place(0.95) > axis.place(0.2) - axis.place(0.1)


def test_perfect_scores_and_no_scores_have_an_axis_too() -> None:
    assert score_axis([1.0]).low < 1
    assert score_axis([]).low == 0


@given(st.lists(FRACTIONS, min_size=1, max_size=9))
def test_places_keep_the_order_and_stay_inside(values: list[float]) -> None:
    axis = score_axis(values)
    places = [axis.place(value) for value in sorted(values)]
    assert places == sorted(places)
    assert 0 < places[0] <= places[-1] < 100
    assert list(axis.ticks) == sorted(axis.ticks)
    assert axis.ticks[-1] == 1


@given(FRACTIONS, FRACTIONS, FRACTIONS, st.integers(0, 20))
def test_lines_and_scales_are_well_formed(a: float, b: float, c: float, number: int) -> None:
    low, value, high = sorted((a, b, c))
    axis = score_axis([low, value])
    drawing = ET.fromstring(line(axis, value, low, high, number))
    assert drawing.attrib["aria-hidden"] == "true"
    assert len(drawing.findall("line")) == len(axis.ticks) + 1
    assert drawing.find("svg/path") is not None
    assert len(ET.fromstring(scale(axis)).findall("text")) == len(axis.ticks)


def test_without_an_interval_only_the_mark_is_drawn() -> None:
    axis = score_axis([0.5])
    assert len(ET.fromstring(line(axis, 0.5, None, None, 0)).findall("line")) == len(axis.ticks)


def test_ticks_are_written_as_precisely_as_they_are() -> None:
    assert ">99.75<" in scale(score_axis([0.99]))
    assert ">50<" in scale(score_axis([0.1]))


def test_marks_differ_and_come_round_again() -> None:
    assert len(set(MARKS)) == len(MARKS)
    assert mark(len(MARKS)) == mark(0)


def test_scores_that_are_no_fractions_get_a_round_axis() -> None:
    axis = score_axis([0.4, 2.24], of_one=False)
    assert (axis.low, axis.high, axis.percent) == (0.0, 2.5, False)
    assert "2.5" in scale(axis)
    assert score_axis([], of_one=False).low == 0
    negative = score_axis([-0.3, 0.9], of_one=False)
    assert negative.low <= -0.3
    assert negative.high >= 0.9
