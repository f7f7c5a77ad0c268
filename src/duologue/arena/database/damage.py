"""What was kept and is no longer as it was: said alike for the database and for kept files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from sqlalchemy import Connection


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
    return "" if told == "ok" else told.partition("\n")[0]
