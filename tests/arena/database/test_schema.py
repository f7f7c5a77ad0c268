"""A database has all tables, however often it is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import inspect

from duologue.arena.database.schema import make_tables
from duologue.arena.database.tables import metadata

if TYPE_CHECKING:
    from duologue.arena.database.database import Database


def test_all_tables_are_made_once(database: Database) -> None:
    make_tables(database)
    assert set(metadata.tables) <= set(inspect(database.write_engine).get_table_names())
