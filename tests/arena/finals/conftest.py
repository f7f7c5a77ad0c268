"""A final in a database on SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.arena.finals.service import open_final

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.arena.database.database import Database
    from tests.arena.competition.booking import Contest


@pytest.fixture
def final(opened: Callable[[str | None], Database], tmp_path: Path) -> Contest:
    """Return a track whose two teams are in the final."""
    return open_final(opened(None), tmp_path)
