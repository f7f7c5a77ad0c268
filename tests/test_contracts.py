from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CONTRACTS = ["layers", "independence", "rooms", "surfaces", "light", "doors"]

VIOLATIONS = {
    "a lower layer knows an upper one": ("layers", {"core/errors.py": "import duologue.run"}),
    "a challenge knows another": (
        "independence",
        {"challenges/other/__init__.py": "import duologue.challenges.restaurant"},
    ),
    "knowledge reaches torch": (
        "light",
        {"models/planted.py": "import torch", "knowledge/planted.py": "import duologue.models.planted"},
    ),
    "formats know scoring": (
        "rooms",
        {"challenges/restaurant/formats/planted.py": "import duologue.challenges.restaurant.scoring"},
    ),
    "the schema knows formats": (
        "rooms",
        {"challenges/mobilecs/schema/planted.py": "import duologue.challenges.mobilecs.formats.files"},
    ),
    "a room that no other challenge has": ("rooms", {"challenges/restaurant/planted.py": "import math"}),
    "the command line knows a challenge": ("surfaces", {"cli/planted.py": "import duologue.challenges.spoken"}),
    "the web reaches a challenge": (
        "surfaces",
        {
            "web/planted.py": "import duologue.run.planted",
            "run/planted.py": "import duologue.challenges.restaurant.task",
        },
    ),
    "a library has a second door": ("doors", {"run/planted.py": "import pyarrow"}),
    "transformers has a second door": ("doors", {"systems/hub/planted.py": "import transformers"}),
    "gymnasium has a second door": ("doors", {"challenges/mobilecs/simulator/planted.py": "import gymnasium"}),
    "a system imports torch outside its network": (
        "doors",
        {"challenges/restaurant/systems/ranker/planted.py": "import torch"},
    ),
}
"""Per case the contract, and what is planted: file below `src/duologue` and the import appended to it."""
_END = re.compile(r"(?P<name>\w+): .* (?P<end>KEPT|BROKEN)( \(\d+ ignored imports?\))?")


def check(folder: Path) -> tuple[dict[str, bool], str]:
    """Run the contracts of `folder`; return per contract whether it is kept, and the whole output."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    program = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    command = [sys.executable, "-c", program, "--no-cache", "--no-logo"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    ends = filter(None, map(_END.fullmatch, done.stdout.splitlines()))
    found = {end["name"]: end["end"] == "KEPT" for end in ends}
    assert (done.returncode == 0) == all(found.values()), done.stdout + done.stderr
    return found, done.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the sources with the contracts, to plant a violation in."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_contracts_hold() -> None:
    found, output = check(ROOT)
    assert found == dict.fromkeys(CONTRACTS, True), output


def test_every_contract_has_a_violation_that_is_planted() -> None:
    assert {contract for contract, _ in VIOLATIONS.values()} == set(CONTRACTS)


@pytest.mark.slow
@pytest.mark.parametrize("case", VIOLATIONS)
def test_a_planted_violation_is_seen_and_its_contract_named(case: str, copy: Path) -> None:
    contract, planted = VIOLATIONS[case]
    for file, line in planted.items():
        path = copy / "src" / "duologue" / file
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8") as out:
            out.write(f"\n{line}\n")
    found, output = check(copy)
    assert not found[contract], output
    others = [name for name in CONTRACTS if name != contract and not found[name]]
    # What knowledge may not reach even indirectly it may not import either: planting the one plants the other.
    assert others == (["layers"] if contract == "light" else []), output
    last = Path(next(reversed(planted)))
    said = last.stem if contract == "rooms" else ".".join(("duologue", *last.with_suffix("").parts))
    assert said.removesuffix(".__init__") in output
