"""Databases for campaigns: SQLite for most tests, and PostgreSQL too for those that go through everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.arena.database.database import Database


@pytest.fixture
def database(opened: Callable[[str | None], Database]) -> Database:
    """Return an empty database on SQLite."""
    return opened(None)


@pytest.fixture(params=["sqlite", "postgres"])
def either_database(request: pytest.FixtureRequest, opened: Callable[[str | None], Database]) -> Database:
    """Return an empty database on SQLite and on a real PostgreSQL server."""
    return opened(request.getfixturevalue("postgres") if request.param == "postgres" else None)
