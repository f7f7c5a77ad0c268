from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stranger.conftest import Run

DATA = "".join(f"s{n}\tword {n}\tword {n}\n" for n in range(6))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.tsv"
    path.write_text(DATA, encoding="utf-8")
    return path


def test_the_package_is_found_through_its_entry_points(fresh: Run) -> None:
    code = """
from duologue.core.plugins import entries, load_task, make_system
for kind in ("tasks", "systems", "commands"):
    for entry in entries(kind):
        if entry.distribution != "duologue":
            print(kind, entry.name, entry.target, entry.distribution, entry.version)
print(load_task("echo").info.version, make_system("parrot").seen)
"""
    assert fresh(code=code).stdout.splitlines() == [
        "tasks echo stranger:EchoTask duologue-stranger 0.7",
        "systems parrot stranger:Parrot duologue-stranger 0.7",
        "commands shout stranger:shout duologue-stranger 0.7",
        "7 nothing",
    ]


def test_the_task_and_the_system_keep_their_contracts(fresh: Run, data: Path) -> None:
    code = """
import sys
from pathlib import Path
from duologue.core.plugins import load_task, make_system
from duologue.testing import check_system, check_task, load_all
task, folder = load_task("echo"), Path(sys.argv[1])
check_task(task, folder)
samples = [example.sample for example in load_all(task, folder)]
check_system(make_system("parrot"), samples, task.info)
print("kept", len(samples))
"""
    done = fresh(data.parent, code=code)
    assert (done.stdout, done.stderr) == ("kept 6\n", "")


def test_the_command_line_lists_them(fresh: Run) -> None:
    listed = json.loads(fresh("list", "--json").stdout)
    told = {
        "name": "echo",
        "package": "duologue-stranger",
        "about": "Say again what was said last.",
        "capabilities": [],
        "without": {},
    }
    assert told in listed["tasks"]
    assert [row["name"] for row in listed["systems"] if row["package"] == "duologue-stranger"] == ["parrot"]


def test_the_command_line_has_its_command_and_reads_its_help_without_importing_it(fresh: Run) -> None:
    assert fresh("shout", "so", "what").stdout == "SO WHAT\n"
    assert fresh("shout", "--loud").returncode == 2
    code = "import sys; from duologue.cli.main import cli; cli(['--help'], standalone_mode=False); print(*sys.modules)"
    shown, _, loaded = fresh(code=code).stdout.rstrip().rpartition("\n")
    assert "shout  Say words in capitals." in shown
    assert "stranger" not in loaded.split()


def test_the_command_line_runs_checks_and_scores_them(fresh: Run, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers.tsv"
    assert fresh("run", "echo", "--system", "parrot", data, "--out", out).returncode == 0
    assert out.read_text(encoding="utf-8").startswith("s0\tword 0\n")
    assert fresh("check", "echo", out, "--input", data).returncode == 0
    scored = json.loads(fresh("score", "echo", "--gold", data, out, "--json").stdout)
    assert (scored["task"], scored["variant"], scored["n"]) == ("echo", "exact", 6)
    assert scored["scores"]["same"]["value"] == 1


def test_its_list_of_metrics_gives_intervals_slices_paired_tests_and_the_board(fresh: Run, tmp_path: Path) -> None:
    """The task counts one thing per answer; all else comes from the house."""
    data, results = tmp_path / "data.tsv", tmp_path / "results"
    results.mkdir()
    names = [f"s{number}" for number in range(60)]
    data.write_text("".join(f"{name}\tword {number}\tword {number}\n" for number, name in enumerate(names)))
    for system, every in (("good", 10), ("bad", 2)):
        given = (f"{name}\t{'?' if number % every == 0 else f'word {number}'}\n" for number, name in enumerate(names))
        (results / f"{system}.tsv").write_text("".join(given))
    scored = json.loads(fresh("score", "echo", "--gold", data, "--pred", results / "good.tsv", "--json").stdout)
    same = scored["scores"]["same"]
    assert same["value"] == 0.9
    assert 0.75 < same["low"] < 0.9 < same["high"] < 1
    assert [(one["by"], one["value"], one["n"]) for one in scored["slices"]] == [
        ("length", "long", 50),
        ("length", "short", 10),
    ]
    pair = (*("--pred", results / "good.tsv"), *("--pred", results / "bad.tsv"))
    compared = json.loads(fresh("compare", "echo", "--gold", data, *pair, "--json").stdout)
    (difference,) = compared["comparisons"]
    assert (difference["score"], difference["better"]) == ("same", "a")
    assert difference["p"] < 0.001
    ranked = json.loads(fresh("board", "echo", results, "--gold", data, "--json").stdout)
    assert [(row["system"], row["tier"]) for row in ranked["systems"]] == [("good.tsv", 1), ("bad.tsv", 2)]


def test_its_recipe_is_set_from_the_command_line(fresh: Run, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers.tsv"
    call = ("run", "echo", "--system", "parrot", data, "--out", out, "--set")
    assert fresh(*call, "loud=true").returncode == 0
    assert out.read_text(encoding="utf-8").startswith("s0\tWORD 0\n")
    refused = fresh(*call, "lout=true")
    assert refused.returncode == 2
    assert "unknown key 'lout'; did you mean 'loud'?" in refused.stderr


def test_a_broken_file_of_theirs_gives_a_message_and_no_traceback(fresh: Run, data: Path, tmp_path: Path) -> None:
    data.write_text("s0\n", encoding="utf-8")
    done = fresh("run", "echo", "--system", "parrot", data, "--out", tmp_path / "x")
    assert done.returncode == 1
    assert "line 1: expected 2 or 3 fields, found 1 [fields]" in done.stderr
    assert "Traceback" not in done.stderr
