from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.core.errors import FormatError
from duologue.core.plugins import load_task
from duologue.core.records import Report, Scoring
from duologue.run import evaluate
from duologue.run.context import context_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def report(contest: Any) -> Report:
    pred = contest.results / "fair.answers.json"
    return evaluate.score(contest.task, [contest.gold], pred, Scoring(variant="strict"), data=contest.data)


def test_data_and_answers_behind_a_report_are_read_again(report: Report, tmp_path: Path) -> None:
    found = context_of(report, None, [tmp_path])
    assert found.missing == ""
    assert found.examples[0].sample.history[0].text == "hi"
    assert found.answers["d01"].ranking == ("b", "a", "c")


def test_a_changed_or_lost_file_is_said_and_nothing_is_shown(report: Report, contest: Any, tmp_path: Path) -> None:
    path = contest.results / "fair.answers.json"
    path.write_bytes(path.read_bytes() + b" ")
    assert "has changed" in context_of(report, None, [tmp_path]).missing
    path.unlink()
    found = context_of(report, None, [tmp_path])
    assert "no such file beside the report" in found.missing
    assert not found.examples


def test_a_report_that_names_no_files_has_no_context(report: Report) -> None:
    assert "does not name its files" in context_of(msgspec.structs.replace(report, meta={})).missing
    assert "does not name its files" in context_of(msgspec.structs.replace(report, task="gone")).missing


def test_the_samples_of_a_file_with_its_own_references_are_shown(tmp_path: Path) -> None:
    pred = tmp_path / "output.txt"
    blocks = ["U: hi\nS_REF: a b\nS_HYP: a c\n", "U: no\nS_HYP: d\n", "U: yes\nS: well\nS_REF: e\nS_HYP: f\n"]
    pred.write_text("\n".join(blocks), encoding="utf-8")
    task = load_task("conversation")
    how = Scoring(variant="coco", partial=True)
    found = context_of(evaluate.score(task, [], pred, how), None, [tmp_path])
    assert [one.sample.id for one in found.examples] == ["1", "3"]
    assert {name: one.text for name, one in found.answers.items()} == {"1": "a c", "3": "f"}
    pred.write_text("S_REF: a\nS_REF: b\nS_HYP: c\nS_HYP: d\n", encoding="utf-8")
    found = context_of(evaluate.score(task, [], pred, Scoring(variant="official")), None, [tmp_path])
    assert (list(found.examples), found.answers) == ([], {})
    assert "without context" in found.missing


def test_lines_that_hold_their_own_references_have_no_context(tmp_path: Path) -> None:
    pred = tmp_path / "eval.txt"
    pred.write_text("a b c\ta b c\nd\te\n", encoding="utf-8")
    found = context_of(evaluate.score(load_task("proactive"), [], pred, Scoring(variant="official")), None, [tmp_path])
    assert "without context" in found.missing


def test_a_damaged_list_of_files_is_a_clear_error(report: Report) -> None:
    good = {"path": "x", "sha256": "y"}
    lists: list[Any] = [{"pred": [one]} for one in ("x", None, {"path": 3, "sha256": "x"})]
    lists += [{"pred": []}, {"pred": None}, {"pred": [good, good]}, {"pred": [good], "input": [good, good]}, ["x"], "x"]
    for damaged in lists:
        with pytest.raises(FormatError, match="/meta/files"):
            context_of(msgspec.structs.replace(report, meta={**report.meta, "files": damaged}))


def test_a_damaged_report_is_called_by_its_file_or_system_or_task(report: Report, tmp_path: Path) -> None:
    damaged = msgspec.structs.replace(report, meta={"files": 3})
    unnamed = msgspec.structs.replace(damaged, system="")
    for one, beside, called in (
        (damaged, tmp_path / "x.json", str(tmp_path / "x.json")),
        (damaged, None, "fair"),
        (unnamed, None, "restaurant"),
    ):
        with pytest.raises(FormatError) as refused:
            context_of(one, beside)
        assert str(refused.value).startswith(f"{called} ")
