"""What the package is once it is built: a wheel that a runner of tools needs nothing beside, and a source archive."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "duologue"
pytestmark = pytest.mark.slow  # each builds, and one installs from the package index


def built(kind: str, folder: Path) -> Path:
    """Build a distribution of this tree with its own build backend, without a network."""
    code = f"import hatchling.build as h, sys; print(h.build_{kind}(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if "No module named 'hatchling'" in done.stderr:
        pytest.skip("the build backend hatchling is not installed here")
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.split()[-1]


def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    """Templates, word lists, TOML and whatever else is not Python, too."""
    with zipfile.ZipFile(built("wheel", tmp_path)) as wheel:
        inside = {name for name in wheel.namelist() if name.startswith("duologue/")}
    ours = {f"duologue/{path.relative_to(PACKAGE).as_posix()}" for path in PACKAGE.rglob("*") if path.is_file()}
    assert {name for name in ours if "__pycache__" not in name} == inside


def test_the_source_archive_is_built_and_holds_what_a_packager_tests(tmp_path: Path) -> None:
    with tarfile.open(built("sdist", tmp_path)) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"pyproject.toml", "constraints.txt", "Makefile", "LICENSE", "tests/conftest.py", "benchmarks/fuzz.py"}
    assert wanted <= inside
    assert {"src/duologue/report/words/shared.toml", "tests/golden/registry.toml"} <= inside


def test_a_runner_of_tools_runs_the_wheel_alone(tmp_path: Path) -> None:
    """`uvx --from WHEEL duologue ...`: a fresh environment made for each, as pipx makes one."""
    uvx = shutil.which("uvx") or shutil.which("uvx", path=str(Path(sys.executable).parent))
    if uvx is None:
        pytest.skip("uv is not installed here (make matrix brings it)")
    wheel = built("wheel", tmp_path)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}

    def duologue(*words: str, code: int = 0) -> str:
        command = [uvx, "--quiet", "--no-config", "--python", sys.executable, "--from", str(wheel), "duologue", *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout

    assert duologue("--version").startswith("duologue")
    assert "restaurant" in duologue("list")
    duologue("generate", "restaurant", "--part", "tst1", "--subtask", "1", "--n", "3", "--out", "data", "--quiet")
    data = next(path for path in (tmp_path / "data" / "tst1").glob("*.json") if "answers" not in path.name)
    truth, kb = data.with_name(data.name.replace(".json", ".answers.json")), tmp_path / "data" / "extendedkb1.txt"
    duologue("run", "restaurant", "--system", "solver", str(data), "--kb", str(kb), "--out", "pred.json")
    duologue("check", "restaurant", "pred.json", "--input", str(data))
    scored = duologue("score", "restaurant", "--gold", str(truth), "pred.json", "--out", "r.json", "--json")
    assert json.loads(scored)["scores"]
    duologue("board", "r.json", "--out", "page.html")
    assert "Duologue" in (tmp_path / "page.html").read_text("utf-8")
