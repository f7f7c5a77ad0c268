"""The tables of a database, brought to those of this version."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from sqlalchemy import Connection

    from duologue.arena.database.database import Database

FOLDER = Path(__file__).with_name("migrations")
"""Where the steps lie."""


def steps(connection: Connection | None = None) -> Config:
    """Return what Alembic asks for: our steps, carried out on a connection."""
    from alembic.config import Config  # takes longer to import than the rest to ask whether a step is to be taken

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    config.attributes["connection"] = connection
    return config


@cache
def _known_steps() -> ScriptDirectory:
    """Return our steps as they lie there; each is compiled, which takes longer than to open a database."""
    from alembic.script import ScriptDirectory  # the same

    return ScriptDirectory.from_config(steps())


def make_tables(database: Database) -> None:
    """Make the tables of an empty database, and bring those of an older version to this one: all or nothing.

    Raises `StorageError` for a database that a newer version has changed.
    """
    with database.guarded(), database.write_engine.begin() as connection:
        if steps_taken(connection) != [newest_step()]:
            _take_steps(database, connection)


@cache
def newest_step() -> str:
    """Return the last of our steps, by the names of their files."""
    return max(path.name.partition("_")[0] for path in (FOLDER / "versions").glob("[0-9]*.py"))


def steps_taken(connection: Connection) -> list[str]:
    """Return the step that a database is at, as Alembic keeps it; nothing where none was taken."""
    if not inspect(connection).has_table("alembic_version"):
        return []
    return [row[0] for row in connection.execute(text("SELECT version_num FROM alembic_version"))]


def _take_steps(database: Database, connection: Connection) -> None:
    from alembic import command  # takes longer to import than to ask whether a step is to be taken
    from alembic.migration import MigrationContext  # the same

    found = MigrationContext.configure(connection).get_current_revision()
    if found is not None and found not in {step.revision for step in _known_steps().walk_revisions()}:
        raise StorageError(
            f"the database at {database.place} was made by a newer duologue (step {found}); "
            f"install that version, or restore a backup into another database"
        )
    command.upgrade(steps(connection), "head")
