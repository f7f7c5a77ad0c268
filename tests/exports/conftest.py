"""The invented reports of the tests of reports, and readers of other makers in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.report.conftest import make_report

from duologue.core.optional_protocols import Simulated
from duologue.core.plugins import load_task
from duologue.core.recipe import resolve
from duologue.core.records import Exposure, Problem, Report
from duologue.exports.hub import ExportDetails

__all__ = ["make_report"]

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "exports"


@pytest.fixture
def details() -> ExportDetails:
    return ExportDetails("2026-01-31", "lab/bot", by="lab", licence="Apache-2.0")


@pytest.fixture
def report(make_report: Any, tmp_path: Path) -> Report:
    """A report with all that an export may tell, and with folders of this machine in it."""
    import msgspec

    made: Report = make_report("bo|t\x1b", wrong=7, slices=True, seen="no <dialogue> at all", gold="ab" * 32)
    truth = tmp_path / "truth.json"
    files = {"gold": [{"path": str(truth), "sha256": "ab" * 32}], "pred": [{"path": "p.json", "sha256": "cd" * 32}]}
    return msgspec.structs.replace(
        made,
        task="restaurant",
        problems=(Problem(rule="copy", severity="warning", message=f"these are the bytes of {truth}"),),
        exposure=Exposure(samples=10, samples_seen=1),
        external=("a list | of names",),
        meta={**made.meta, "files": files, "commands": [f"duologue score {truth}"]},
    )


@pytest.fixture
def booking(tmp_path: Path) -> Path:
    """A folder with four simulated dialogues."""
    task = load_task("restaurant")
    assert isinstance(task, Simulated)
    plan = resolve(task.Generation, overrides=['part="tst1"', "subtask=1", "n=4"])
    task.generate(plan, 3, tmp_path / "booking", workers=1, progress=None)
    return tmp_path / "booking"


def demand_schema(name: str, value: Any) -> None:
    """Fail where a value does not keep one of the schemas."""
    schema = json.loads((GOLDEN / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.validators.validator_for(schema)(schema).validate(value)


def read_elsewhere(library: str, code: str, *words: object) -> Any:
    """Return what code prints as JSON that reads a file with its maker's library; skip where that is not installed."""
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed: it pulls many packages, so `pip install {library}` is left to you")
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHONW")}
    done = subprocess.run(
        [sys.executable, "-c", f"import json, sys\n{code}", *map(str, words)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env=clean,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
