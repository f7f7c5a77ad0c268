"""Where the site of a workspace keeps what it knows: its database with all tables, and the files people gave."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duologue.arena.rooms  # noqa: F401 - every room says its tables
from duologue.arena.database.blobs import Blobs
from duologue.arena.database.database import Database
from duologue.arena.database.schema import make_tables
from duologue.arena.database.tables import milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def open_database(
    workspace: Path, address: str | None = None, *, clock: Callable[[], int] = milliseconds, durable: bool = True
) -> Database:
    """Open the database of a workspace, with all its tables: `address`, or the file `site/site.db` below it.

    Raises `UsageError` for an address of another kind and `StorageError` where the database cannot be opened.
    """
    database = Database(
        address or f"sqlite:///{(workspace / 'site' / 'site.db').absolute()}", clock=clock, durable=durable
    )
    make_tables(database)
    return database


def open_blobs(workspace: Path) -> Blobs:
    """Return the files that people gave, in the folder `site/files` of a workspace."""
    return Blobs(workspace / "site" / "files")
