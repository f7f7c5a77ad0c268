"""A database on SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.arena.database.database import Database


@pytest.fixture
def database(opened: Callable[[str | None], Database]) -> Database:
    """Return an empty database."""
    return opened(None)
