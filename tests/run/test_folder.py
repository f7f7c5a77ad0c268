from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.disk import sha256
from duologue.core.errors import FormatError, StorageError, TruthError, UsageError
from duologue.core.records import Problem, Scoring
from duologue.run.folder import first_problem, is_result, result_files, score_folder

if TYPE_CHECKING:
    from pathlib import Path

STRICT = Scoring(variant="strict")


def test_every_result_file_is_scored_and_a_refused_one_is_noted(contest: Any) -> None:
    (contest.results / "broken.answers.json").write_text("[", encoding="utf-8")
    (contest.results / "good.answers.run.toml").write_text('system = "good"', encoding="utf-8")
    (contest.results / ".hidden").write_text("", encoding="utf-8")
    steps: list[int] = []
    found = score_folder(
        contest.task, [contest.gold], contest.results, STRICT, progress=lambda done, total, what: steps.append(done)
    )
    assert {report.system: report.scores[0].value for report in found.reports} == {"good": 1, "fair": 0.5, "poor": 0}
    assert all(report.signature.dialogues == report.n for report in found.reports)
    assert [(one.file, one.problems) for one in found.refused] == [("broken.answers.json", 1)]
    assert "JSON" in found.refused[0].first
    assert steps == [1, 2, 3, 4]


def test_systems_of_one_name_are_called_by_their_files(contest: Any) -> None:
    for name in ("good", "fair"):
        digest = sha256((contest.results / f"{name}.answers.json").read_bytes())
        note = f'task = "restaurant"\nsystem = "solver"\nseen = "rules"\nresult_hash = "{digest}"\n'
        (contest.results / f"{name}.answers.run.toml").write_text(note, encoding="utf-8")
    found = score_folder(contest.task, [contest.gold], contest.results, STRICT)
    assert [report.system for report in found.reports] == ["fair.answers.json", "good.answers.json", "poor"]


def test_a_truth_file_in_the_folder_is_no_result(contest: Any) -> None:
    truth = contest.results / "truth.json"
    truth.write_bytes(contest.gold.read_bytes())
    assert truth not in result_files(contest.results, [truth])
    assert truth in result_files(contest.results)


def test_a_truth_that_nothing_can_be_scored_against_is_told_instead_of_each_file(contest: Any, tmp_path: Path) -> None:
    gold = tmp_path / "empty.json"
    gold.write_text("[]", "utf-8")
    for keep in ("*", "good*"):
        for path in set(contest.results.iterdir()) - set(contest.results.glob(keep)):
            path.unlink()
        with pytest.raises(TruthError, match=r"the truth .*empty\.json has 1 problem"):
            score_folder(contest.task, [gold], contest.results, STRICT)


def test_a_folder_that_is_none_or_empty_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="not a folder"):
        result_files(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="holds no result files"):
        result_files(tmp_path)


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("a.json", True),
        ("a.txt.gz", True),
        (".a.json", False),
        ("a.run.toml", False),
        ("training-1.sketch", False),
        ("a.report.json", False),
        ("a.html", False),
        ("a.md", False),
    ],
)
def test_what_stands_beside_results_is_none(tmp_path: Path, name: str, *, result: bool) -> None:
    (tmp_path / name).touch()
    assert is_result(tmp_path / name) is result
    assert not is_result(tmp_path / "absent")
    assert not is_result(tmp_path)


def test_the_first_error_of_a_file_is_told_with_its_place_before_any_warning() -> None:
    warning = Problem(rule="w", severity="warning", message="odd", place="line 1")
    error = Problem(rule="e", message="wrong", place="line 2")
    assert first_problem(FormatError("x", [warning, error, error])) == "line 2: wrong"
    assert first_problem(FormatError("x", [Problem(rule="e", message="wrong")])) == "wrong"
    assert "odd" in first_problem(FormatError("x", [warning]))


def test_a_system_that_saw_the_truth_is_noted_where_that_is_asked(contest: Any) -> None:
    found = score_folder(contest.task, [contest.gold], contest.results, STRICT, unseen=True)
    assert found.reports == ()
    assert [(one.file, one.problems) for one in found.refused] == [
        (f"{name}.answers.json", 1) for name in ("fair", "good", "poor")
    ]
    assert "nothing tells what fair was trained on" in found.refused[0].first
