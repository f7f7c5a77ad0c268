"""Connections to SQLite and PostgreSQL that mean the same: snapshots for readers, one writer at a time."""

from __future__ import annotations

import math
import os
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, DisconnectionError

from duologue.core.errors import RequestError, UsageError
from duologue.core.extras import need

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine
    from sqlalchemy.engine import ExceptionContext
    from sqlalchemy.pool import ConnectionPoolEntry

_WRITERS_LOCK: Final = 6_720_194_471
"""The advisory lock that a writing transaction on PostgreSQL holds, so that writers wait as they do on SQLite."""
_IDLE_SECONDS: Final = 1.0
"""After how long unused a connection may be gone."""
_PATIENCE_SECONDS: Final = 60
"""How long a writer waits for another process's transaction."""


def parse_url(address: str) -> URL:
    """Return the address of a database as a URL with its driver. Raises `UsageError` for any other kind."""
    try:
        url = make_url(address)
    except ArgumentError:
        raise UsageError(
            "the database is given as sqlite:////path/file.db or postgresql://user@host/name; this is neither"
        ) from None
    if url.drivername == "sqlite" and url.database and url.database != ":memory:":
        return url
    if url.drivername in ("postgresql", "postgresql+psycopg"):
        need("psycopg", "postgres")
        return url.set(drivername="postgresql+psycopg")
    raise UsageError(
        f"the database is given as sqlite:////path/file.db or postgresql://user@host/name, "
        f"not as {url.render_as_string(hide_password=True)!r}"
    )


def make_engines(url: URL, *, durable: bool) -> tuple[Engine, Engine]:
    """Return the engine to write with (one connection) and the engine to read with.

    `durable`: a commit is on the disk when it returns. Without it a commit outlives a kill of the process only.
    A value that the database cannot hold raises `RequestError`.
    """
    engines = _make_engines(url, durable=durable)
    for engine in engines:
        event.listen(engine, "handle_error", _refuse_value)
    return engines


def _refuse_value(context: ExceptionContext) -> None:
    """Raise `RequestError` for a value that a database cannot hold, which comes from whoever asked.

    PostgreSQL has no texts with NUL, SQLite no whole numbers above 64 bits, neither half a character.
    """
    unfit = isinstance(context.original_exception, OverflowError | UnicodeEncodeError)
    if unfit or isinstance(context.sqlalchemy_exception, DataError):
        message = "a text holds a character that cannot be kept (NUL, half a character), or a number is too large"
        raise RequestError(message) from context.original_exception


def _make_engines(url: URL, *, durable: bool) -> tuple[Engine, Engine]:
    if url.get_backend_name() == "sqlite":
        _make_private(Path(url.database or ""))
        writer = create_engine(url, pool_size=1, max_overflow=0, connect_args={"check_same_thread": False})
        reader = create_engine(url, pool_size=8, max_overflow=32, connect_args={"check_same_thread": False})
        _speak_sqlite(writer, begin="BEGIN IMMEDIATE", durable=durable)
        _speak_sqlite(reader, begin="BEGIN", durable=durable)
        return writer, reader
    writer = create_engine(url, pool_size=1, max_overflow=0)
    reader = create_engine(url, pool_size=8, max_overflow=32, isolation_level="REPEATABLE READ")
    for engine in (writer, reader):
        _ask_after_pauses(engine)

    @event.listens_for(writer, "begin")
    def _wait_for_writers(connection: Connection) -> None:
        if not durable:
            connection.execute(text("SET LOCAL synchronous_commit = off"))
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_WRITERS_LOCK})"))

    return writer, reader


def _ask_after_pauses(engine: Engine) -> None:
    """Ask a connection that was idle whether it is still there: to ask each time is a round trip in every answer."""

    @event.listens_for(engine, "checkin")
    def _left(_connection: object, record: ConnectionPoolEntry) -> None:
        record.info["idle since"] = monotonic()

    @event.listens_for(engine, "checkout")
    def _taken(connection: Any, record: ConnectionPoolEntry, _: object) -> None:
        if monotonic() - record.info.get("idle since", math.inf) < _IDLE_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error  # the pool makes another one


def _make_private(path: Path) -> None:
    """Make the file of a database readable by its owner alone, where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _speak_sqlite(engine: Engine, *, begin: str, durable: bool) -> None:
    """Let transactions begin where SQLAlchemy says, with foreign keys and a write-ahead log."""

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        for pragma in (
            f"busy_timeout = {_PATIENCE_SECONDS * 1000}",
            "journal_mode = WAL",
            f"synchronous = {'FULL' if durable else 'OFF'}",
            "foreign_keys = ON",
            "secure_delete = ON",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        connection.exec_driver_sql(begin)
