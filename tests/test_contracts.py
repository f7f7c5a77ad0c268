from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CONTRACTS = ["layers", "independence", "rooms", "light", "doors"]

VIOLATIONS = {
    "layers": {"core/errors.py": "import duologue.run"},
    "independence": {"challenges/other/__init__.py": "import duologue.challenges.restaurant"},
    "rooms": {"challenges/mobilecs/schema/ontology.py": "import duologue.challenges.mobilecs.formats.files"},
    "light": {"models/planted.py": "import torch", "knowledge/planted.py": "import duologue.models.planted"},
    "doors": {"run/planted.py": "import pyarrow"},
}
"""Per contract what is planted: file below `src/duologue` and the import appended to it."""


def check(folder: Path) -> tuple[dict[str, bool], str]:
    """Run the contracts of `folder`; return per contract whether it is kept, and the whole output."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    program = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    command = [sys.executable, "-c", program, "--no-cache", "--no-logo"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    ends = [line.rpartition(" ") for line in done.stdout.splitlines() if line.endswith((" KEPT", " BROKEN"))]
    found = {name.partition(":")[0]: end == "KEPT" for name, _, end in ends}
    assert (done.returncode == 0) == all(found.values()), done.stdout + done.stderr
    return found, done.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the sources with the contracts, to plant a violation in."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_five_contracts_hold(tmp_path: Path) -> None:
    found, output = check(ROOT)
    assert found == dict.fromkeys(CONTRACTS, True), output


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_planted_violation_is_seen_and_its_contract_named(contract: str, copy: Path) -> None:
    for file, line in VIOLATIONS[contract].items():
        path = copy / "src" / "duologue" / file
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8") as out:
            out.write(f"\n{line}\n")
    found, output = check(copy)
    assert not found[contract], output
    others = [name for name in CONTRACTS if name != contract and not found[name]]
    # What knowledge may not reach even indirectly it may not import either: planting the one plants the other.
    assert others == (["layers"] if contract == "light" else []), output
    planted = Path(next(reversed(VIOLATIONS[contract])))
    assert ".".join(("duologue", *planted.with_suffix("").parts)).removesuffix(".__init__") in output
