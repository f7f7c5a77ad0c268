"""Every requirement of the challenges has what shows it, and its commands run as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NUMBERS = {"R": 12, "C": 13, "P": 9, "S": 9, "M": 16}
"""How many requirements each challenge has."""


def _mission(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "docs" / "mission.py", *arguments], capture_output=True, text=True, check=False
    )


def test_the_page_is_what_its_files_say() -> None:
    done = _mission("--check")
    assert done.returncode == 0, done.stderr


def test_no_requirement_is_left_out() -> None:
    text = (ROOT / "docs" / "mission.md").read_text(encoding="utf-8")
    found = re.findall(r"^\*\*([A-Z]\d+)\*\* ", text, flags=re.MULTILINE)
    assert found == [f"{letter}{number + 1}" for letter, last in NUMBERS.items() for number in range(last)]


@pytest.mark.slow
def test_every_command_of_the_page_runs_as_it_stands(tmp_path: Path) -> None:
    done = _mission("--run", str(tmp_path / "mission"))
    assert done.returncode == 0, done.stderr
