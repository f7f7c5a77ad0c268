from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def golden() -> Path:
    """The folder with small files of this challenge, made for the tests."""
    return Path(__file__).resolve().parents[2] / "golden" / "spoken"
