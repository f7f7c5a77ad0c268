from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.core.errors import UsageError
from duologue.report.curves import curve_page, curves, drawing
from duologue.report.figures import mark

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


def test_a_score_that_is_not_known_is_not_drawn(reports: list[Report]) -> None:
    lost = reports[0]
    scores = tuple(msgspec.structs.replace(one, value=math.nan, low=None, high=None) for one in lost.scores)
    lost = msgspec.structs.replace(lost, scores=scores)
    found = curves([lost, *reports[1:]])
    svg = str(drawing(found))
    assert "nan" not in svg
    assert [len(path.split()) for path in re.findall(r'points="([^"]*)"', svg)] == [1, 2]
    assert [curve.kept is None for curve in found] == [True, False]


def test_what_cannot_be_drawn_is_refused(reports: list[Report], make_report: MakeReport) -> None:
    with pytest.raises(UsageError, match="no reports"):
        curves([])
    for system, called in (("a", "a"), ("", "toy")):
        with pytest.raises(UsageError, match=f"^the report of {called} does not say the strength of its noise$"):
            curves([make_report(system)])
        noisy = msgspec.structs.replace(make_report(system), meta={"strength": 0})
        with pytest.raises(UsageError, match=f"^the report of {called} has no score 'nonsense'$"):
            curves([noisy], "nonsense")


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
    for end in ("low", "high"):
        score = msgspec.structs.replace(reports[0].scores[0], **{end: None})
        half = msgspec.structs.replace(reports[0], scores=(score,))
        assert str(drawing(curves([half, *reports[1:]]))).count('class="whisker"') == 3


def test_the_table_of_the_page_has_each_score_under_its_name(reports: list[Report]) -> None:
    page = curve_page(reports, title="toy", commands=[], seed=3)
    for report in reports:
        for score in report.scores:
            assert f"{100 * score.value:.2f}" in page


SVG = """\
<svg class="curves" viewBox="0 0 720 340" width="100%" aria-hidden="true" focusable="false">
<line class="grid" x1="64" x2="696" y1="300.0" y2="300.0"/><text x="54" y="304.0" text-anchor="end">0</text>
<line class="grid" x1="64" x2="696" y1="229.0" y2="229.0"/><text x="54" y="233.0" text-anchor="end">25</text>
<line class="grid" x1="64" x2="696" y1="158.0" y2="158.0"/><text x="54" y="162.0" text-anchor="end">50</text>
<line class="grid" x1="64" x2="696" y1="87.0" y2="87.0"/><text x="54" y="91.0" text-anchor="end">75</text>
<line class="grid" x1="64" x2="696" y1="16.0" y2="16.0"/><text x="54" y="20.0" text-anchor="end">100</text>
<text x="64.0" y="322" text-anchor="middle">0</text>
<text x="158.8" y="322" text-anchor="middle">0.3</text>
<text x="696.0" y="322" text-anchor="middle">2</text>
<g class="c0"><polyline class="curve" points="64.0,44.4 158.8,101.2 696.0,243.2"/>
<line class="whisker" x1="64.0" x2="64.0" y1="64.9" y2="31.3"/>
<path class="mark" transform="translate(64.0 44.4)" d="0"/>
<line class="whisker" x1="158.8" x2="158.8" y1="128.2" y2="77.9"/>
<path class="mark" transform="translate(158.8 101.2)" d="0"/>
<line class="whisker" x1="696.0" x2="696.0" y1="262.5" y2="218.3"/>
<path class="mark" transform="translate(696.0 243.2)" d="0"/></g>
<g class="c1"><polyline class="curve" points="64.0,158.0"/>
<line class="whisker" x1="64.0" x2="64.0" y1="185.4" y2="130.6"/>
<path class="mark" transform="translate(64.0 158.0)" d="1"/></g></svg>
"""


def test_curves_are_drawn_to_the_point(make_report: MakeReport) -> None:
    given = (("a", 0, 10), ("a", 0.3, 30), ("a", 2, 80), ("b", 0, 50))
    reports = [
        msgspec.structs.replace(make_report(system, wrong=wrong), meta={"strength": strength})
        for system, strength, wrong in given
    ]
    svg = str(drawing(curves(reports)))
    for number in (0, 1):
        svg = svg.replace(f'd="{mark(number)}"', f'd="{number}"')
    assert svg == SVG.replace("\n", "")


def test_where_no_noise_is_strong_all_points_stand_at_the_left(make_report: MakeReport) -> None:
    report = msgspec.structs.replace(make_report("a", wrong=10), meta={"strength": 0})
    svg = str(drawing(curves([report])))
    assert 'points="64.0,158.0"' in svg
    assert ">85</text>" in svg  # a close-up
    assert curves([msgspec.structs.replace(make_report("a", wrong=100), meta={"strength": 0})])[0].kept is None


def test_what_is_no_fraction_has_plain_ticks(make_report: MakeReport) -> None:
    report = msgspec.structs.replace(make_report("a", wrong=10), meta={"strength": 1})
    plain = msgspec.structs.replace(
        report, scores=tuple(msgspec.structs.replace(s, percent=False) for s in report.scores)
    )
    assert ">0.8</text>" in str(drawing(curves([plain])))
    page = curve_page([plain], title="toy")
    assert "0.9000" in page
    assert "90.00" not in page


def test_reports_that_come_from_files_have_their_scores_in_the_table(reports: list[Report]) -> None:
    (again,) = (msgspec.json.decode(msgspec.json.encode(one), type=type(one)) for one in reports[:1])
    page = curve_page([again, *reports[1:]], title="toy")
    row = [f"<td>{100 * score.value:.2f}</td>" for score in again.scores]
    assert all(cell in page for cell in row)
    assert "–" not in page


def test_the_seed_is_that_of_all_tests_where_none_is_told(reports: list[Report]) -> None:
    assert (
        curve_page(reports, title="x")
        == curve_page(reports, title="x", seed=1)
        != curve_page(reports, title="x", seed=2)
    )


TABLE = """\
    <tbody>
      <tr>
        <th scope="row">a</th>
        <td class="number">0</td>
        <td>90.00</td>
        <td>90.00</td>
        <td>100.00</td>
        <td>93.33</td>
      </tr>
      <tr>
        <th scope="row">a</th>
        <td class="number">0.5</td>
        <td>–</td>
        <td>60.00</td>
        <td>100.00</td>
        <td>73.33</td>
      </tr>
      <tr>
        <th scope="row">b</th>
        <td class="number">0</td>
        <td>80.00</td>
        <td>80.00</td>
        <td>100.00</td>
        <td>86.67</td>
      </tr>
    </tbody>
"""


def test_the_table_has_a_row_for_each_point_and_the_page_the_signature_of_the_first(make_report: MakeReport) -> None:
    given = (("a", 0.5, 40), ("a", 0, 10), ("b", 0, 20))
    reports = [
        msgspec.structs.replace(make_report(system, wrong=wrong), meta={"strength": strength})
        for system, strength, wrong in given
    ]
    reports[0] = msgspec.structs.replace(reports[0], rank_by="p@2", scores=reports[0].scores[1:])
    page = curve_page(reports, title="toy", remarks=["typed by hand", "fitted to nothing"])
    assert page[page.index("    <tbody>") :].startswith(TABLE)
    assert f"<code>{reports[1].signature}</code>" in page
    assert str(reports[2].signature) not in page
    assert [page.count(remark) for remark in ("typed by hand", "fitted to nothing")] == [1, 1]


def test_colours_come_round_again_and_nothing_may_be_kept(make_report: MakeReport) -> None:
    given = [(f"s{number}", strength, wrong) for number in range(8) for strength, wrong in ((0, 50), (1, 100))]
    reports = [
        msgspec.structs.replace(make_report(system, wrong=wrong), meta={"strength": strength})
        for system, strength, wrong in given
    ]
    found = curves(reports)
    assert re.findall(r'<g class="(c\d+)">', str(drawing(found))) == [f"c{number % 6}" for number in range(8)]
    assert {curve.kept for curve in found} == {0.0}
