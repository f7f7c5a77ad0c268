from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.core.errors import UsageError
from duologue.report.curves import curve_page, curves, drawing

if TYPE_CHECKING:
    from duologue.core.records import Report
    from tests.report.conftest import MakeReport


@pytest.fixture
def reports(make_report: MakeReport) -> list[Report]:
    return [
        msgspec.structs.replace(one, meta={**one.meta, "strength": strength})
        for system in ("a", "b")
        for strength, wrong in ((1.0, 40 if system == "a" else 20), (0.0, 10))
        for one in (make_report(system, wrong=wrong),)
    ]


def test_points_are_ordered_by_strength_and_systems_as_they_come(reports: list[Report]) -> None:
    found = curves(reports)
    assert [curve.system for curve in found] == ["a", "b"]
    assert [point.strength for point in found[0].points] == [0, 1]
    assert found[0].kept == pytest.approx(60 / 90)


def test_a_curve_falls_where_the_score_does(reports: list[Report]) -> None:
    svg = str(drawing(curves(reports)))
    lines = [
        [tuple(map(float, point.split(","))) for point in path.split()] for path in re.findall(r'points="([^"]*)"', svg)
    ]
    assert len(lines) == 2
    for (left, high), (right, low) in lines:
        assert left < right
        assert high < low  # SVG counts downwards
    assert lines[0][1][1] > lines[1][1][1]  # a lost more than b


def test_the_page_has_figure_table_and_command_and_is_the_same_each_time(reports: list[Report]) -> None:
    page = curve_page(reports, title="toy: <noise>", commands=["duologue robustness toy"], seed=3)
    assert page == curve_page(reports, title="toy: <noise>", commands=["duologue robustness toy"], seed=3)
    assert "toy: &lt;noise&gt;" in page
    assert page.count('class="curve"') == 2
    assert page.count("<tr>") == 5
    assert "duologue robustness toy" in page
    assert "66.67 % kept" in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_single_strength_and_a_chosen_score_can_be_drawn(reports: list[Report]) -> None:
    name = reports[0].scores[-1].name
    (curve,) = curves([reports[1]], name)
    assert curve.points[0].score.name == name
    assert "polyline" in str(drawing([curve]))


def test_what_cannot_be_drawn_is_refused(reports: list[Report], make_report: MakeReport) -> None:
    with pytest.raises(UsageError, match="no reports"):
        curves([])
    with pytest.raises(UsageError, match="does not say the strength"):
        curves([make_report("a")])
    with pytest.raises(UsageError, match="no score 'nonsense'"):
        curves(reports, "nonsense")


def test_every_point_with_an_interval_has_its_whisker_and_no_other(reports: list[Report]) -> None:
    whole = str(drawing(curves(reports)))
    assert whole.count('class="whisker"') == 4
    none = [
        msgspec.structs.replace(
            report, scores=tuple(msgspec.structs.replace(one, low=None, high=None) for one in report.scores)
        )
        for report in reports
    ]
    assert 'class="whisker"' not in str(drawing(curves(none)))
    assert str(drawing(curves([*reports[:2], *none[2:]]))).count('class="whisker"') == 2


def test_the_table_of_the_page_has_each_score_under_its_name(reports: list[Report]) -> None:
    page = curve_page(reports, title="toy", commands=[], seed=3)
    for report in reports:
        for score in report.scores:
            assert f"{100 * score.value:.2f}" in page
