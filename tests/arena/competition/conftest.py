"""A track with teams, on SQLite and on PostgreSQL, or on SQLite alone where children take their time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.arena.competition.booking import open_contest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.arena.database.database import Database
    from tests.arena.competition.booking import Contest


@pytest.fixture
def contest(database: Database, tmp_path: Path) -> Contest:
    return open_contest(database, tmp_path)


@pytest.fixture
def local_contest(opened: Callable[[str | None], Database], tmp_path: Path) -> Contest:
    return open_contest(opened(None), tmp_path)
