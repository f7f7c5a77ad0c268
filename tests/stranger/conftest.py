"""The stranger's package, installed as any other, into a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., subprocess.CompletedProcess[str]]

_SOURCE = Path(__file__).with_name("package")
_PIP = ("install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--no-cache-dir", "--no-compile")
_CLI = "from duologue.cli.main import main; main()"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder where pip put the package."""
    source = shutil.copytree(_SOURCE, tmp_path_factory.mktemp("stranger") / "package")
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *_PIP, "--target", str(target), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    return target


@pytest.fixture(scope="session")
def fresh(installed: Path) -> Run:
    """Run Python code, or the command line, in a fresh process that finds the package."""

    def run(*arguments: str | Path, code: str = _CLI) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(filter(None, (str(installed), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", code, *map(str, arguments)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    return run
