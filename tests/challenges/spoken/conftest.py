from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def golden() -> Path:
    """The folder with small files of this challenge, made for the tests."""
    return Path(__file__).resolve().parents[2] / "golden" / "spoken"


@pytest.fixture
def reader(golden: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the small system of the plug-in that the tests of the command install."""
    monkeypatch.syspath_prepend(golden / "plugin")
    return importlib.import_module("reader").Reader()
