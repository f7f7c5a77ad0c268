from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.core.errors import FormatError
from duologue.core.records import Report, Score, Scoring
from duologue.run import evaluate
from duologue.run.saved import formulas_of, how_of, read_report, save_report

if TYPE_CHECKING:
    from pathlib import Path

STRICT = Scoring(variant="strict")


def test_a_saved_report_comes_back_as_it_was(contest: Any, tmp_path: Path) -> None:
    report = evaluate.score(contest.task, [contest.gold], contest.results / "fair.answers.json", STRICT)
    save_report(report, tmp_path / "x.report.json")
    again = read_report(tmp_path / "x.report.json")
    assert again == report
    assert how_of(again) == STRICT
    assert [one.name for one in formulas_of(again)] == ["p@1", "p@2", "p@5", "mrr"]


def test_a_file_that_is_no_report_says_how_one_is_made(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[1]", encoding="utf-8")
    with pytest.raises(FormatError, match="duologue score"):
        read_report(tmp_path / "x.json")


def test_a_report_of_a_task_that_is_not_installed_keeps_the_ranking_formulas() -> None:
    scores = (Score(name="p@3", value=0.5), Score(name="joy", value=0.5))
    report = Report(task="gone", variant="v", n=1, scores=scores, rank_by="p@3", signature="s")
    assert [one.name for one in formulas_of(report)] == ["p@3"]
    assert how_of(report) == Scoring(variant="v")


def test_a_report_that_says_nonsense_about_its_scoring_is_refused() -> None:
    report = Report(task="t", variant="v", n=1, scores=(), rank_by="", signature="s", meta={"how": {"variant": 3}})
    with pytest.raises(FormatError, match="does not say how to score"):
        how_of(report)
    assert how_of(msgspec.structs.replace(report, meta={"how": "strict"})) == Scoring(variant="v")
