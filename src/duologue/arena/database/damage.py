"""What was kept and is no longer as it was: said alike for the database and for kept files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import ValidationError
from sqlalchemy import inspect, select

from duologue.arena.database.tables import metadata
from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from sqlalchemy import Connection


_HELD = {
    "INTEGER": ("integer",), "BIGINT": ("integer",), "BOOLEAN": ("integer",), "FLOAT": ("real", "integer"),
    "TEXT": ("text",), "VARCHAR": ("text",), "JSON": ("text",),
}  # fmt: skip
"""Declared type of a column -> the types that SQLite holds it in."""


def damaged(what: str, reason: str) -> StorageError:
    """Return the error that says what is damaged and why one thinks so, and what to do.

    >>> str(damaged("the database", "it ends early"))
    'the database is damaged: it ends early; restore a backup: duologue site restore'
    """
    return StorageError(f"{what} is damaged: {reason}; restore a backup: duologue site restore")


def contradiction(connection: Connection) -> str:
    """Return what is wrong with the rows of an SQLite file, in words; empty for nothing.

    Nobody but a changed byte or another program makes a row that names none of another table, or a value that its
    column refuses. PostgreSQL keeps its own files.
    """
    if connection.dialect.name != "sqlite":
        return ""
    row = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if row is not None:
        return f"a row of {row[0]} names one of {row[2]} that is not there"
    told = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
    return told.partition("\n")[0] if told != "ok" else _misplaced(connection) or _misshapen(connection)


def _misplaced(connection: Connection) -> str:
    """Return where SQLite holds a value of another type than its column declares, which it allows."""
    quoted = connection.dialect.identifier_preparer.quote
    for table in inspect(connection).get_table_names():
        for _, name, declared, *_ in connection.exec_driver_sql(f"PRAGMA table_info({quoted(table)})").all():
            types = _HELD.get(declared.partition("(")[0])
            if types is None:
                continue
            column, listed = quoted(name), ", ".join(map(repr, (*types, "null")))
            wrong = f"typeof({column}) NOT IN ({listed})"
            if declared == "JSON":
                wrong += f" OR {column} IS NOT NULL AND NOT json_valid({column})"
            found = f"SELECT 1 FROM {quoted(table)} WHERE {wrong} LIMIT 1"  # noqa: S608  # names are the schema's own
            if connection.exec_driver_sql(found).first() is not None:
                return f"a row of {table} holds no {declared} as its {name}"
    return ""


def _misshapen(connection: Connection) -> str:
    """Return which value is not of its column's type, where that says more than SQLite's does."""
    there = set(inspect(connection).get_table_names())
    for column in (one for table in metadata.sorted_tables if table.name in there for one in table.columns):
        try:
            for _ in connection.execute(select(column)):
                pass
        except ValidationError as error:
            return str(error)
    return ""
