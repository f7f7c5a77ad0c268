"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with real dialogues of the challenges; tests that need it are skipped where it is absent."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("DUOLOGUE_DATA", default))
    if not folder.is_dir():
        pytest.skip("no real data here; set DUOLOGUE_DATA to the folder that holds it")
    return folder


@pytest.fixture(scope="session")
def real_restaurant(real_data: Path) -> Path:
    """The folder with the real files of the restaurant challenge."""
    return real_data / "restaurant"
