"""The challenge that the guide shows is a package that works, and stays small."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "your-own-task.md"
DATA = "".join(f"s{number}\tword {number}\tWORD {number}\n" for number in range(6))
COMMAND = "from duologue.cli.main import main; main()"
CHECK = """
from pathlib import Path
from duologue.core.plugins import load_task, make_system
from duologue.testing import check_system, check_task, load_all
task, folder = load_task("capitals"), Path("data")
check_task(task, folder)
check_system(make_system("shouter"), [example.sample for example in load_all(task, folder)], task.info)
print("kept")
"""


def blocks(language: str) -> list[str]:
    """Return the blocks of code of the page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the package as the page shows it, known to Python as an installation leaves it, and data."""
    (tmp_path / "capitals.py").write_text(blocks("python")[0], encoding="utf-8")
    (project,) = blocks("toml")
    points = tomllib.loads(project)["project"]["entry-points"]
    lines = [line for group, named in points.items() for line in (f"[{group}]", *map(" = ".join, named.items()))]
    info = tmp_path / "capitals-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: capitals\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "data").mkdir()
    for place in (tmp_path / "said.tsv", tmp_path / "data" / "said.tsv"):
        place.write_text(DATA, encoding="utf-8")
    return tmp_path


def ran(folder: Path, *words: str) -> str:
    """Run Python in the folder and return what it prints."""
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_challenge_and_a_system_take_two_files_and_a_hundred_lines() -> None:
    shown = [blocks("python")[0], *blocks("toml")]
    assert len(shown) == 2
    assert sum(len(text.splitlines()) for text in shown) <= 100


def test_both_keep_their_contracts(folder: Path) -> None:
    assert ran(folder, "-c", CHECK) == "kept\n"


def test_the_commands_of_the_page_run_as_they_stand(folder: Path) -> None:
    commands = re.findall(r"^\$ duologue (.*)$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["run", "check", "score"]
    for command in commands[:-1]:
        ran(folder, "-c", COMMAND, *command.split())
    scored = json.loads(ran(folder, "-c", COMMAND, *commands[-1].split(), "--json"))
    assert scored["scores"]["same"]["value"] == 1
    assert {one["by"] for one in scored["slices"]} == {"length"}


def test_what_is_wrong_with_a_file_is_said_at_its_place(folder: Path) -> None:
    (folder / "said.tsv").write_text("s0\n", encoding="utf-8")
    words = ["run", "capitals", "said.tsv", "--system", "shouter", "--out", "answers.tsv"]
    with pytest.raises(
        AssertionError, match=r"line 1: expected 2 or 3 fields with tabs between them, found 1 \[fields\]"
    ):
        ran(folder, "-c", COMMAND, *words)
