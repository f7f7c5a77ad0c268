from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.core.errors import UsageError
from duologue.core.records import Scoring
from duologue.run import evaluate
from duologue.run.saved import read_report, save_report
from duologue.run.verify import find, verify

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def saved(contest: Any, tmp_path: Path) -> Path:
    how = Scoring(variant="strict", by=("answer-type",))
    pred = contest.results / "fair.answers.json"
    report = evaluate.score(contest.task, [contest.gold], pred, how, data=contest.data)
    save_report(report, tmp_path / "fair.report.json")
    return tmp_path / "fair.report.json"


def test_a_stored_number_is_computed_again_to_the_last_digit(saved: Path) -> None:
    verdict = verify(saved)
    assert verdict.differences == ()
    assert verdict.checked > 10


def test_official_lines_are_compared_too(contest: Any, tmp_path: Path) -> None:
    how, pred = Scoring(variant="official"), contest.results / "good.answers.json"
    path = tmp_path / "official.report.json"
    report = evaluate.score(contest.task, [contest.gold], pred, how)
    save_report(report, path)
    assert verify(path).differences == ()
    save_report(msgspec.structs.replace(report, transcript=("Precision @1: 0.9",)), path)
    assert [one.partition(":")[0] for one in verify(path).differences] == ["printed lines"]


def test_a_forged_number_is_found(saved: Path) -> None:
    report = read_report(saved)
    forged = msgspec.structs.replace(report.scores[0], value=0.75)
    save_report(msgspec.structs.replace(report, scores=(forged, *report.scores[1:])), saved)
    assert verify(saved).differences == ("p@1, value: stored 0.75, computed 0.5",)


def test_a_file_that_has_changed_is_named(saved: Path, contest: Any) -> None:
    shutil.copy(contest.results / "poor.answers.json", contest.results / "fair.answers.json")
    differences = verify(saved).differences
    assert any("fair.answers.json: the file has changed" in one for one in differences)
    assert any(one.startswith("p@1, value: stored 0.5, computed 0.0") for one in differences)
    assert any(one.startswith("signature") for one in differences)


def test_a_file_that_is_gone_is_named_and_nothing_is_computed(saved: Path, contest: Any) -> None:
    contest.gold.unlink()
    verdict = verify(saved)
    assert verdict.checked == 0
    assert verdict.differences == (f"{contest.gold}: the file is gone",)


def test_files_are_found_beside_a_report_that_moved(saved: Path, contest: Any, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    moved.mkdir()
    for path in (saved, contest.gold, contest.data, contest.results / "fair.answers.json"):
        shutil.move(path, moved / path.name)
    assert verify(moved / saved.name).differences == ()


def test_a_report_is_found_by_its_signature_or_by_that_of_a_score(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "other.report.json").write_text("[]", encoding="utf-8")
    report = read_report(saved)
    assert find(report.signature, [tmp_path]) == [saved]
    assert find(report.scores[0].signature, [tmp_path]) == [saved]
    assert find(str(saved), []) == [saved]
    with pytest.raises(UsageError, match="say where to look"):
        find("p@1 | nobody", [tmp_path, tmp_path / "nowhere"])


def test_a_report_without_files_cannot_be_verified(saved: Path) -> None:
    save_report(msgspec.structs.replace(read_report(saved), meta={}), saved)
    with pytest.raises(UsageError, match="does not name the files"):
        verify(saved)
