from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from duologue import api
from duologue.core.errors import DuologueError, UsageError
from duologue.mcp.open_folder import OpenFolder
from duologue.mcp.tools import FolderTools

GOLDEN = Path(__file__).resolve().parents[1] / "golden/restaurant"


@pytest.fixture
def folder(tmp_path: Path, duologue: Any) -> Path:
    """A folder with data, truth, and the results of two systems."""
    made = duologue("generate", "restaurant", "--part", "tst1", "--subtask", 1, "--n", 12, "--out", tmp_path)
    assert made.code == 0, made.err
    (data,) = (path for path in (tmp_path / "tst1").glob("*.json") if not path.name.endswith(".answers.json"))
    data.rename(tmp_path / "data.json")
    data.with_name(f"{data.stem}.answers.json").rename(tmp_path / "truth.json")
    for name in ("medoid", "random"):
        done = duologue(
            "run", "restaurant", tmp_path / "data.json", "--system", name, "--out", tmp_path / f"{name}.json"
        )
        assert done.code == 0, done.err
    return tmp_path


def test_tasks_and_files_are_listed(tmp_path: Path) -> None:
    (tmp_path / ".hidden").mkdir()
    for name in ("b.json", "a.json", "c.txt", ".hidden/d.json"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    tools = FolderTools(OpenFolder(tmp_path))
    told = tools.list_tasks()
    assert {
        "name": "restaurant",
        "language": "en",
        "answers": "ranking",
        "variants": ["strict", "official"],
    }.items() <= (next(one for one in told["tasks"] if one["name"] == "restaurant").items())
    assert "solver" in told["systems"]
    assert tools.list_files("*.json") == {"files": ["a.json", "b.json"], "total": 2}
    for pattern in ("../*", "/etc/*"):
        with pytest.raises(UsageError, match="leads outside"):
            tools.list_files(pattern)


def test_results_are_checked_scored_and_compared(folder: Path) -> None:
    tools = FolderTools(OpenFolder(folder))
    assert tools.check("restaurant", "medoid.json", "data.json")["accepted"] is True
    wrong = tools.check("restaurant", "truth.json", "data.json")
    assert wrong["total"] >= len(wrong["problems"])
    told = tools.score("restaurant", "medoid.json", ["truth.json"])
    assert told["n"] == 12
    assert "p@1" in told["scores"]
    found = tools.compare("medoid.json", "random.json", "restaurant", ["truth.json"])
    (first, *_) = found["comparisons"]
    assert first["n"] == 12
    with pytest.raises(DuologueError):
        tools.compare("medoid.json", "random.json")


def test_data_are_shown_by_windows_of_lines(folder: Path) -> None:
    tools = FolderTools(OpenFolder(folder))
    whole = tools.show("restaurant", "data.json", lines=400)
    part = tools.show("restaurant", "data.json", start=3, lines=2)
    assert part["lines_in_all"] == whole["lines_in_all"] > 20
    assert part["text"].splitlines() == whole["text"].splitlines()[2:4]
    with pytest.raises(UsageError, match="1 or more"):
        tools.show("restaurant", "data.json", start=0)


def test_a_result_is_shown_on_its_truth(folder: Path) -> None:
    tools = FolderTools(OpenFolder(folder))
    shown = tools.show("restaurant", "medoid.json", lines=400, gold=["truth.json"], data="data.json")["text"]
    assert shown == api.show(
        "restaurant", folder / "medoid.json", gold=folder / "truth.json", data=folder / "data.json"
    )
    assert "candidates:\n    answer  rank" in shown
    assert "user: " in shown
    assert "--input" in tools.show("restaurant", "medoid.json", gold=["truth.json"])["text"]
    for call in (
        lambda: tools.show("restaurant", "medoid.json", data="data.json"),
        lambda: api.show("restaurant", folder / "medoid.json", data=folder / "data.json"),
    ):
        with pytest.raises(UsageError, match="without gold the file is no result"):
            call()


def test_what_is_shown_are_whole_lines_and_their_number_says_where_to_go_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = FolderTools(OpenFolder(folder))
    whole = tools.show("restaurant", "data.json", lines=40)
    assert (whole["lines"], whole["text"].count("\n")) == (40, 40)
    monkeypatch.setattr("duologue.mcp.tools._MAX_SIGNS", 150)
    text, start = "", 1
    while start <= 40:
        part = tools.show("restaurant", "data.json", start=start, lines=41 - start)
        assert 0 < part["lines"] < 40
        assert len(part["text"]) <= 150
        text, start = text + part["text"], start + part["lines"]
    assert text == whole["text"]
    monkeypatch.setattr("duologue.mcp.tools._MAX_SIGNS", 5)
    assert tools.show("restaurant", "data.json")["text"] == whole["text"][:5]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*", ["a.json", "one/b.json", "one/two/three/four/five/c.txt"]),
        ("", ["a.json", "one/b.json", "one/two/three/four/five/c.txt"]),
        ("**/" * 30 + "*.json", ["a.json", "one/b.json"]),
        ("one/*", ["one/b.json"]),
        ("./five/c.*", ["one/two/three/four/five/c.txt"]),
        ("**x", []),
        ("x" * 5_000, []),
        ("*/" * 3_000 + "*", []),
        ("a\0b[\ud800", []),
    ],
    ids=range(9),
)
def test_any_pattern_is_answered_in_one_walk(tmp_path: Path, pattern: str, names: list[str]) -> None:
    (tmp_path / "one/two/three/four/five").mkdir(parents=True)
    for name in ("a.json", "one/b.json", "one/two/three/four/five/c.txt", ".hidden.json"):
        (tmp_path / name).write_text("x")
    assert FolderTools(OpenFolder(tmp_path)).list_files(pattern) == {"files": names, "total": len(names)}


def test_of_many_files_the_first_by_name_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    for number in reversed(range(1_000)):
        (tmp_path / f"{number:03}.json").touch()
    assert FolderTools(OpenFolder(tmp_path)).list_files() == {
        "files": [f"{number:03}.json" for number in range(400)],
        "total": 1_000,
    }
