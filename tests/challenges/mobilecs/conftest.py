"""Small dialogues of our own, and where the real ones lie."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from duologue.challenges.mobilecs.formats import conversions

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "mobilecs"


@pytest.fixture(scope="session")
def golden() -> Path:
    """The folder with small files written for this project."""
    return GOLDEN


@pytest.fixture(scope="session")
def real(real_data: Path) -> Path:
    """The folder with the public examples and the golden cases made from them."""
    return real_data / "mobilecs"


@pytest.fixture
def raw_rows(golden: Path) -> list[Any]:
    return json.loads((golden / "extraction/contract/raw.json").read_bytes())  # type: ignore[no-any-return]  # decoded JSON


@pytest.fixture
def paired_rows(golden: Path) -> list[Any]:
    return json.loads((golden / "dialogue/contract/dialogues.json").read_bytes())  # type: ignore[no-any-return]  # decoded JSON


@pytest.fixture(scope="session")
def real_dialogues(real: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The public example dialogues as track 2 data, made by our preprocessing."""
    folder = tmp_path_factory.mktemp("track2")
    rows = []
    for name in ("example_final.json", "example_first_version.json"):
        (made,) = conversions.convert("raw", "track2", real / "examples" / name, folder / name)
        rows += json.loads(made.read_bytes())
    path = folder / "all.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path
