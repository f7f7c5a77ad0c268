from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from rich.console import Console, RenderableType

from duologue.metrics.counts import Counts
from duologue.metrics.formulas import Ratio
from duologue.metrics.intervals import scores
from duologue.report import (
    compare,
    comparisons_to_json,
    leaderboard_page,
    leaderboard_to_json,
    page,
    rank_all,
    render,
    render_comparisons,
    render_leaderboard,
    render_whole,
    to_json,
)
from duologue.report.comparison import ranking_formulas
from duologue.report.notes import in_lines, notes_of

if TYPE_CHECKING:
    from duologue.core.records import Report
    from duologue.metrics.counts import Metric
    from tests.report.conftest import MakeReport

NOTE = "by rule, not the human scale"
POINTS = Ratio("points", "hit@1", "items", note=NOTE)


def formulas(report: Report) -> list[Metric[Any]]:
    return [*ranking_formulas(report), POINTS]


@pytest.fixture
def reports(make_report: MakeReport) -> list[Report]:
    """Two reports with a score that says of itself how it is to be taken."""
    plain = [make_report("a", wrong=10), make_report("b", wrong=30)]
    return [
        msgspec.structs.replace(one, scores=scores(Counts.of_report(one), formulas(one), one.signature))
        for one in plain
    ]


def printed(shown: RenderableType) -> str:
    text = io.StringIO()
    Console(file=text, width=200, color_system=None).print(shown)
    return text.getvalue()


def test_a_score_carries_the_note_of_its_formula(reports: list[Report]) -> None:
    assert notes_of(reports) == {"points": NOTE}
    assert {one.name: one.note for one in reports[0].scores if one.note} == {"points": NOTE}


def test_every_table_in_the_terminal_says_it_once(reports: list[Report]) -> None:
    compared = compare(*reports, metrics=formulas(reports[0]), resamples=200)
    shown = [
        render(reports[0]),
        render_comparisons(compared),
        render_leaderboard(rank_all(reports, formulas=formulas, resamples=200)),
        render_whole(reports[:1], reports[:1], reports[0]),
    ]
    assert [printed(one).count(f"points: {NOTE}.") for one in shown] == [1, 1, 1, 1]


def test_pages_say_it_in_both_languages(reports: list[Report]) -> None:
    board = leaderboard_page(rank_all(reports, formulas=formulas, resamples=200), title="t")
    for html in (board, page(reports, formulas=formulas, resamples=200)):
        assert html.count(NOTE) == 1
        assert html.count("按规则计算，不是人工评分标准") == 1


def test_json_and_notebooks_have_it(reports: list[Report]) -> None:
    found = rank_all(reports, formulas=formulas, resamples=200)
    assert f"points: {NOTE}" in str(found)
    assert to_json(reports[0])["scores"]["points"]["note"] == NOTE
    assert "note" not in to_json(reports[0])["scores"]["mrr"]
    assert leaderboard_to_json(found)["systems"][0]["scores"]["points"]["note"] == NOTE
    rows = comparisons_to_json(compare(*reports, metrics=[POINTS], resamples=200))["comparisons"]
    assert [one["note"] for one in rows] == [NOTE]


def test_without_a_note_nothing_is_said(make_report: MakeReport) -> None:
    assert notes_of([make_report("a")]) == {}


def test_scores_with_the_same_words_stand_in_one_line() -> None:
    said = "by rule"
    notes = {"a": said, "b": "of 10 samples", "c": said[:3] + said[3:], "d": "by hand"}  # equal, and read elsewhere
    assert in_lines(notes) == ["a, c: by rule.", "b: of 10 samples.", "d: by hand."]
