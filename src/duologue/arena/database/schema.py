"""The tables of a database, brought to those of this version."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.database.database import Database

FOLDER = Path(__file__).with_name("migrations")
"""Where the steps lie."""


def steps(connection: Connection | None = None) -> Config:
    """Return what Alembic asks for: our steps, carried out on a connection."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    config.attributes["connection"] = connection
    return config


@cache
def _known_steps() -> ScriptDirectory:
    """Return our steps as they lie there; each is compiled, which takes longer than to open a database."""
    return ScriptDirectory.from_config(steps())


def make_tables(database: Database) -> None:
    """Make the tables of an empty database, and bring those of an older version to this one: all or nothing.

    Raises `StorageError` for a database that a newer version has changed.
    """
    with database.guarded(), database.write_engine.begin() as connection:
        known = _known_steps()
        found = MigrationContext.configure(connection).get_current_revision()
        if found == known.get_current_head():
            return
        if found is not None and found not in {step.revision for step in known.walk_revisions()}:
            raise StorageError(
                f"the database at {database.place} was made by a newer duologue (step {found}); "
                f"install that version, or restore a backup into another database"
            )
        command.upgrade(steps(connection), "head")
