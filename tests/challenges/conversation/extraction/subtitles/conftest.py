"""A folder of subtitle files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.subtitles import make_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve files of thirty sentences."""
    return make_folder(tmp_path_factory.mktemp("xml"))
