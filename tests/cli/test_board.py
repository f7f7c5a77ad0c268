"""`duologue board`: a folder of result files, and scores that were saved."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from duologue.cli.main import cli
from duologue.core.errors import UsageError
from duologue.run.contamination import SeenError

if TYPE_CHECKING:
    from pathlib import Path

N = 30


def call(*words: object) -> Any:
    return CliRunner().invoke(cli, list(map(str, words)))


def ranking(name: str, first: int) -> dict[str, Any]:
    order = [first, *(one for one in range(7) if one != first)]
    ranked = [{"candidate_id": f"{name}c{one}", "rank": rank} for rank, one in enumerate(order, start=1)]
    return {"dialog_id": name, "lst_candidate_id": ranked}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Return a folder with truth, results of two systems, and the reports of both on two test sets."""
    names = [f"d{one}" for one in range(N)]
    (tmp_path / "truth.json").write_text(json.dumps([ranking(name, 0) for name in names]), "utf-8")
    results, reports = tmp_path / "results", tmp_path / "reports"
    results.mkdir()
    for system, wrong in (("good", 2), ("poor", 20)):
        path = results / f"{system}.json"
        path.write_text(json.dumps([ranking(name, int(at < wrong)) for at, name in enumerate(names)]), "utf-8")
        for where in ("one", "two"):
            out = reports / where / f"{system}.report.json"
            words = ("score", "restaurant", path, "--gold", tmp_path / "truth.json", "--test-set", where, "--out", out)
            assert call(*words).exit_code == 0
    return tmp_path


def test_saved_scores_are_ranked_as_their_result_files_are(saved: Path) -> None:
    files = json.loads(call("board", "restaurant", saved / "results", "--gold", saved / "truth.json", "--json").stdout)
    reports = json.loads(call("board", *sorted((saved / "reports" / "one").iterdir()), "--json").stdout)
    assert [row["system"] for row in reports["systems"]] == ["good", "poor"]
    assert [row["tier"] for row in reports["systems"]] == [1, 2]
    for key in ("task", "variant", "rank_by", "n", "minimum_detectable_difference"):
        assert reports[key] == files[key], key
    tests = [[{**one, "test_set": ""} for one in found["comparisons"]] for found in (reports, files)]
    assert tests[0]
    assert tests[0] == tests[1]
    shown = call("board", saved / "reports" / "one").stdout
    assert "restaurant (strict), one, 30 items" in shown


def test_where_nothing_can_be_scored_each_file_has_its_first_problem(tmp_path: Path) -> None:
    (tmp_path / "gold.json").write_text(json.dumps([ranking("d1", 0), ranking("d2", 0)]), "utf-8")
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "cut.json").write_text('[{"dialog_id": ', "utf-8")
    (folder / "short.json").write_text("[]", "utf-8")
    done = call("board", "restaurant", folder, "--gold", tmp_path / "gold.json")
    _, cut, short = str(done.exception).splitlines()
    assert cut.startswith("  cut.json: line 1, column 16: not valid JSON")
    assert short.startswith("  short.json: 3 problems, the first: ")


def test_several_test_sets_are_ranked_one_by_one_and_joined_into_one_page(saved: Path) -> None:
    page = saved / "page.html"
    words = ("board", saved / "reports" / "one", saved / "reports" / "two", "--out", page, "--title", "Ours")
    assert call(*words, "--in", saved).exit_code == 0
    done = call(*words, "--in", saved)  # a page and its JSON are replaced
    assert done.exit_code == 0, done.output
    assert done.stdout.count("30 items") == 2
    told = json.loads(page.with_suffix(".json").read_text("utf-8"))
    assert [one["test_set"] for one in told["boards"]] == ["one", "two"]
    text = page.read_text("utf-8")
    assert "Ours" in text
    assert "<h3>one</h3>" in text
    assert "<h3>two</h3>" in text
    assert "are shown" not in done.stderr


def test_scores_that_no_test_can_rank_are_shown_all_the_same(saved: Path) -> None:
    path = saved / "reports" / "one" / "good.report.json"
    report = json.loads(path.read_text("utf-8"))
    scores = [*report["scores"], {"name": "none such", "value": 0.5}]
    path.write_text(json.dumps({**report, "scores": scores, "rank_by": "none such"}), "utf-8")
    done = call("board", path)
    assert done.exit_code == 0, done.output
    assert "p@1" in done.stdout
    assert "'none such' ranks systems" in json.loads(call("board", path, "--json").stdout)["unranked"]


def test_what_makes_no_sense_is_refused(saved: Path) -> None:
    reports = saved / "reports" / "one"
    for words, kind, told in (
        ((reports, "--gold", saved / "truth.json"), UsageError, "leave --gold out"),
        ((reports, "--variant", "official", "--partial"), UsageError, "leave --variant, --partial out"),
        ((reports, "--in", saved, "--limit", 3), UsageError, "no page is written; leave --in, --limit out"),
        ((saved / "results",), UsageError, "to rank result files name their task"),
        ((reports, "--require-unseen"), SeenError, "nothing tells what good was trained on"),
        (("restaurant", saved / "results", "--in", saved), UsageError, "--in is for saved scores"),
        (("restaurant",), UsageError, "one FOLDER of result files follows the task, 0 given"),
    ):
        done = call("board", *words)
        assert isinstance(done.exception, kind), done.output
        assert told in str(done.exception)


def test_the_page_of_whole_submissions_is_tested_with_the_swaps_that_are_asked_for(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth, teams = saved / "golds", saved / "teams"
    for test_set in ("one", "two"):
        for folder, file in (
            (truth, "truth.json"),
            (teams / "a", "results/good.json"),
            (teams / "b", "results/poor.json"),
        ):
            (folder / test_set).mkdir(parents=True)
            (folder / test_set / "rows.json").write_bytes((saved / file).read_bytes())
    asked: dict[str, Any] = {}
    monkeypatch.setattr("duologue.cli.board.make_page", lambda reports, **how: str(asked.update(how, n=len(reports))))
    words = ("board", "restaurant", teams, "--gold", truth, "--out", saved / "page.html")
    done = call(*words, "--resamples", 200, "--seed", 7)
    assert done.exit_code == 0, done.output
    assert (asked["n"], asked["resamples"], asked["seed"]) == (4, 200, 7)
    refused = call("board", "restaurant", teams, "--gold", truth, "--out", saved / "other.html", "--limit", 3)
    assert isinstance(refused.exception, UsageError), refused.output
    assert (
        str(refused.exception)
        == "whole submissions are ranked by their totals, and no item is shown; leave --limit out"
    )
