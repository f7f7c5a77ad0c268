"""Making the tables of a database, once all rooms have said theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.database.tables import metadata

if TYPE_CHECKING:
    from duologue.arena.database.database import Database


def make_tables(database: Database) -> None:
    """Make the tables that are not there yet."""
    with database.guarded(), database.write_engine.begin() as connection:
        metadata.create_all(connection)
