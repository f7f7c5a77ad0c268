"""Every requirement of the challenges has what shows it, and its commands run as they stand."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import ModuleType

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


@pytest.fixture
def mission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The page's program, reading the files of a folder of the test's own."""
    spec = importlib.util.spec_from_file_location("mission", ROOT / "docs" / "mission.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    monkeypatch.setattr(program, "ROOT", tmp_path)
    (tmp_path / "docs" / "mission").mkdir(parents=True)
    return program


def _requirements(mission: ModuleType, *run: str, **more: str) -> Any:
    keys = {"id": "R1", "what": "A simulator", "run": list(run), **more}
    text = "".join(f"{name} = {json.dumps(value)}\n" for name, value in keys.items())
    path = mission.ROOT / "docs" / "mission" / "restaurant.toml"
    path.write_text(f'title = "Restaurant"\n\n[[requirement]]\n{text}', encoding="utf-8")
    return mission.requirements("restaurant")


@pytest.mark.parametrize(
    "run",
    [
        (),
        ("duologue data split --help",),
        ("duologue train proactive --help | tail -5", "duologue train -h"),
        ("duologue list | grep -E 'extractor|agent'",),
        ("duologue data collect twitter AirCare --store tweets --dry-run",),
    ],
)
def test_help_lists_and_dry_runs_alone_show_nothing(mission: ModuleType, run: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"R1: found run = .*, expected a command that does it"):
        _requirements(mission, *run)


def test_one_command_that_does_it_is_enough(mission: ModuleType) -> None:
    runs = ("duologue list", "duologue train restaurant --system hcn --held-out dev.json --out model")
    assert _requirements(mission, *runs) == ("Restaurant", [{"id": "R1", "what": "A simulator", "run": [*runs]}])


@pytest.mark.parametrize("more", [{"partly": "Half of it."}, {"next": "The other half."}])
def test_what_is_missing_has_its_next_step(mission: ModuleType, more: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="go together"):
        _requirements(mission, "duologue generate restaurant", **more)


@pytest.mark.slow
def test_every_command_of_the_page_runs_as_it_stands(tmp_path: Path) -> None:
    done = _mission("--run", str(tmp_path / "mission"))
    assert done.returncode == 0, done.stderr
