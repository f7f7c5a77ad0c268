"""Inline SVG: well-formed, in its bounds, in order."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.report.figures import MARKS, Axis, line, mark, scale, score_axis

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


@pytest.mark.parametrize(
    ("values", "axis"),
    [
        ([0.2, 0.6], Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))),
        ([0.49, 0.95], Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))),
        ([0.49, 0.96], Axis(0.0, 1.0, (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 1.0), stretched=True)),
        ([0.5, 0.96], Axis(0.5, 1.0, (0.5, 0.625, 0.75, 0.875, 1.0))),
        ([0.58], Axis(0.5, 1.0, (0.5, 0.6, 0.7, 0.8, 0.9, 1.0))),
        ([0.6], Axis(0.6, 1.0, (0.6, 0.7, 0.8, 0.9, 1.0))),
        ([0.79, math.nan, math.inf], Axis(0.75, 1.0, (0.75, 0.8, 0.85, 0.9, 0.95, 1.0))),
        ([0.9], Axis(0.9, 1.0, (0.9, 0.925, 0.95, 0.975, 1.0))),
        ([0.968], Axis(0.96, 1.0, (0.96, 0.97, 0.98, 0.99, 1.0))),
        ([0.98], Axis(0.98, 1.0, (0.98, 0.985, 0.99, 0.995, 1.0))),
        ([0.995], Axis(0.99, 1.0, (0.99, 0.9925, 0.995, 0.9975, 1.0))),
    ],
)
def test_an_axis_of_fractions_is_the_closest_with_round_ticks(values: list[float], axis: Axis) -> None:
    found = score_axis(values)
    assert found._replace(low=0.0, ticks=()) == axis._replace(low=0.0, ticks=())
    assert found.ticks == pytest.approx(axis.ticks)
    assert found.low == pytest.approx(axis.low) == found.ticks[0]


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([], (0.0, 1e-9)),
        ([0.0005], (0.0, 0.0001, 0.0002, 0.0003, 0.0004, 0.0005)),
        ([-0.3, 0.9], (-0.5, 0.0, 0.5, 1.0)),
        ([0.4, 2.24], (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)),
        ([5.0], (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)),
        ([12.0, 40.0], (0.0, 10.0, 20.0, 30.0, 40.0)),
    ],
)
def test_an_open_axis_has_at_most_six_round_ticks(values: list[float], ticks: tuple[float, ...]) -> None:
    found = score_axis(values, of_one=False)
    assert (found.low, found.high, found.stretched) == (found.ticks[0], found.ticks[-1], False)
    assert found.ticks == pytest.approx(ticks, abs=1e-15)


@pytest.mark.parametrize("largest", [3e10, 1e100, 1e308])
def test_an_axis_has_room_for_the_largest_numbers(largest: float) -> None:
    """Above 25 thousand millions a page ended in an error without a word."""
    axis = score_axis([largest, -largest], of_one=False)
    assert axis.low == -axis.high
    assert math.isfinite(axis.high)
    assert axis.place(-largest) < axis.place(0) < axis.place(largest)


def test_values_stand_in_proportion_and_those_beyond_at_the_ends() -> None:
    axis = score_axis([0.2, 0.6])
    assert [axis.place(value) for value in (-1, 0, 0.25, 0.5, 1, 2)] == [3.0, 3.0, 26.5, 50.0, 97.0, 97.0]
    stretched = score_axis([0.2, 0.99])
    assert [stretched.place(value) for value in (0, 0.5, 0.8, 0.9, 1)] == [3.0, 19.107, 39.672, 54.164, 97.0]


def test_an_interval_is_drawn_to_the_point() -> None:
    axis = score_axis([0.2, 0.6])
    drawing = ET.fromstring(line(axis, 0.5, 0.25, 0.75, 13))
    assert drawing.attrib["class"] == "line c1"
    assert drawing.attrib["height"] == "24"
    grid, (whisker,) = drawing.findall("line[@class='grid']"), drawing.findall("line[@class='whisker']")
    assert [(one.attrib["x1"], one.attrib["x2"], one.attrib["y1"], one.attrib["y2"]) for one in grid] == [
        (f"{place}%", f"{place}%", "0", "24") for place in (3.0, 26.5, 50.0, 73.5, 97.0)
    ]
    assert whisker.attrib == {"class": "whisker", "x1": "26.5%", "x2": "73.5%", "y1": "12.0", "y2": "12.0"}
    at = drawing.find("svg")
    assert at is not None
    assert (at.attrib["x"], at.attrib["y"]) == ("50.0%", "12.0")
    assert at[0].attrib["d"] == MARKS[1]


@pytest.mark.parametrize(("low", "high"), [(math.nan, 0.5), (0.5, math.nan), (None, 0.5), (0.5, None)])
def test_what_is_not_known_is_not_drawn(low: float | None, high: float | None) -> None:
    drawing = ET.fromstring(line(score_axis([0.2]), math.nan, low, high, 0))
    assert {one.attrib["class"] for one in drawing} == {"grid"}


def test_an_infinite_end_stands_at_the_end() -> None:
    whisker = ET.fromstring(line(score_axis([0.2]), 0.5, -math.inf, 0.5, 0)).find("line[@class='whisker']")
    assert whisker is not None
    assert (whisker.attrib["x1"], whisker.attrib["x2"]) == ("3.0%", "50.0%")


def test_a_scale_has_its_labels_under_their_ticks() -> None:
    found = ET.fromstring(scale(score_axis([0.2]), " %"))
    assert found.attrib["height"] == "16"
    assert [(one.attrib["x"], one.text) for one in found] == [
        ("3.0%", "0 %"),
        ("26.5%", "25 %"),
        ("50.0%", "50 %"),
        ("73.5%", "75 %"),
        ("97.0%", "100 %"),
    ]
    assert [one.text for one in ET.fromstring(scale(score_axis([0.99])))] == [
        "99.00",
        "99.25",
        "99.50",
        "99.75",
        "100.00",
    ]
