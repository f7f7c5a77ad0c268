from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.core.plugins import load_task
from duologue.core.records import Report, Scoring
from duologue.run import evaluate
from duologue.run.context import context_of, locate

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def report(contest: Any) -> Report:
    pred = contest.results / "fair.answers.json"
    return evaluate.score(contest.task, [contest.gold], pred, Scoring(variant="strict"), data=contest.data)


def test_data_and_answers_behind_a_report_are_read_again(report: Report) -> None:
    found = context_of(report)
    assert found.missing == ""
    assert found.examples[0].sample.history[0].text == "hi"
    assert found.answers["d01"].ranking == ("b", "a", "c")


def test_a_changed_or_lost_file_is_said_and_nothing_is_shown(report: Report, contest: Any) -> None:
    path = contest.results / "fair.answers.json"
    path.write_bytes(path.read_bytes() + b" ")
    assert "has changed" in context_of(report).missing
    path.unlink()
    found = context_of(report)
    assert "is gone" in found.missing
    assert not found.examples


def test_a_report_that_names_no_files_has_no_context(report: Report) -> None:
    assert "does not name its files" in context_of(msgspec.structs.replace(report, meta={})).missing
    assert "does not name its files" in context_of(msgspec.structs.replace(report, task="gone")).missing


def test_a_task_that_cannot_show_answers_says_so(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duologue.run.context.load_task", lambda name: object())
    assert "cannot be shown" in context_of(report).missing


def test_the_samples_of_a_file_with_its_own_references_are_shown(tmp_path: Path) -> None:
    pred = tmp_path / "output.txt"
    blocks = ["U: hi\nS_REF: a b\nS_HYP: a c\n", "U: no\nS_HYP: d\n", "U: yes\nS: well\nS_REF: e\nS_HYP: f\n"]
    pred.write_text("\n".join(blocks), encoding="utf-8")
    task = load_task("conversation")
    how = Scoring(variant="coco", partial=True)
    found = context_of(evaluate.score(task, [], pred, how))
    assert [one.sample.id for one in found.examples] == ["1", "3"]
    assert {name: one.text for name, one in found.answers.items()} == {"1": "a c", "3": "f"}
    pred.write_text("S_REF: a\nS_REF: b\nS_HYP: c\nS_HYP: d\n", encoding="utf-8")
    found = context_of(evaluate.score(task, [], pred, Scoring(variant="official")))
    assert (list(found.examples), found.answers) == ([], {})
    assert "without context" in found.missing


def test_lines_that_hold_their_own_references_have_no_context(tmp_path: Path) -> None:
    pred = tmp_path / "eval.txt"
    pred.write_text("a b c\ta b c\nd\te\n", encoding="utf-8")
    found = context_of(evaluate.score(load_task("proactive"), [], pred, Scoring(variant="official")))
    assert "without context" in found.missing


def test_a_file_is_looked_for_where_it_was_and_beside_the_report(tmp_path: Path) -> None:
    (tmp_path / "here.txt").write_text("x", encoding="utf-8")
    beside = tmp_path / "x.report.json"
    assert locate(tmp_path / "here.txt", None) == tmp_path / "here.txt"
    assert locate(tmp_path / "lost" / "here.txt", beside) == tmp_path / "here.txt"
    assert locate(tmp_path / "lost" / "here.txt", None) is None
