"""An SQLite file that several processes may write and that stays consistent when one is killed."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NoReturn

from duologue.core import disk
from duologue.core.disk import regular
from duologue.core.errors import FormatError, NoSpaceError, StorageError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_MAGIC = b"SQLite format 3\x00"
_LOG_PAGES = 1_000
_BULK_LOG_PAGES = 20_000
"""Pages (4 kB) of the log after which it goes into the file: for bulk work later, since pages change many times."""
_PATIENCE_SECONDS = 120.0
"""How long a writer waits for another one's transaction; ours last milliseconds, those of a bulk import seconds."""


def is_database(path: Path) -> bool:
    """Tell whether a file is an SQLite database, by its first bytes."""
    if not path.is_file():  # a pipe would be waited for without end
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


class SqliteDatabase:
    """A connection in WAL mode: readers never wait, writers wait for one another, a commit is whole or absent.

    Reading works from a read-only disk too. Raises `StorageError` for what disk or database refuse, and
    `FormatError` for a file that is no database, is damaged, or is of another version.
    """

    def __init__(
        self,
        path: Path,
        *,
        schema: str,
        version: int,
        upgrades: Mapping[int, str] | None = None,
        writable: bool = True,
        durable: bool = True,
        private: bool = False,
    ) -> None:
        """Open a database, and make it with `schema` where there is none and it may be written.

        `upgrades` make the next version of an older one; a database that is only read stays of its `version`. A
        `private` one is readable by its owner alone, as is its folder where that is made here. What is deleted is
        overwritten.

        `durable`: a commit is on the disk when it returns, so that it survives a power failure too; without it a
        commit survives a kill of the process only.
        """
        self.path = path
        self.version = version
        self._upgrades = upgrades or {}
        with self.guarded():
            regular(path)
            if not writable and not path.is_file():
                raise StorageError(f"there is no store at {path}; collect or import into it first")
            self.connection = _open(path, writable=writable, private=private)
            try:
                self._expect_rows(schema)
                self.connection.isolation_level = None  # transactions begin and end where `writing` says
                self.connection.execute("PRAGMA cache_size = -65536")
                if writable:
                    _keep_log(self.connection)
                    self.connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                    pages = _LOG_PAGES if durable else _BULK_LOG_PAGES
                    self.connection.execute("PRAGMA secure_delete = ON")
                    self.connection.execute(f"PRAGMA wal_autocheckpoint = {pages}")
                self._found_version(schema, version, writable=writable)
            except BaseException:
                self.connection.close()
                raise

    def _expect_rows(self, schema: str) -> None:
        """Raise `FormatError` where the file has views, modules or triggers of its own: they may compute for ever."""
        with closing(sqlite3.connect(":memory:")) as model:
            model.executescript(schema)
            ours = {_words(told) for (told,) in model.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")}
        for kind, name, page, told in self.connection.execute("SELECT type, name, rootpage, sql FROM sqlite_master"):
            if kind == "view" or (kind == "table" and not page) or (kind == "trigger" and _words(told) not in ours):
                message = f"'{name}' is a {kind} that is no part of a store: it could compute for ever"
                advice = "take a store that duologue wrote"
                raise FormatError(self.path, [Problem(rule="store-damaged", message=message, advice=advice)])

    def _found_version(self, schema: str, version: int, *, writable: bool) -> None:
        found = self.connection.execute("PRAGMA user_version").fetchone()[0]
        if found == version:
            return
        if found in self._upgrades and not writable:
            self.version = found
            return
        if (found == 0 or found in self._upgrades) and writable:
            with self.writing():
                # Another process may have made it while this one waited for its turn.
                found = self.connection.execute("PRAGMA user_version").fetchone()[0]
                scripts = [schema] if found == 0 else [self._upgrades[one] for one in range(found, version)]
                for statement in _statements("".join(f"{script};" for script in scripts)):
                    self.connection.execute(statement)
                self.connection.execute(f"PRAGMA user_version = {version}")
            return
        message = f"the store is of version {found}, this program writes version {version}"
        advice = "collect into a fresh folder" if found else "was it ever written to?"
        raise FormatError(self.path, [Problem(rule="store-version", message=message, advice=advice)])

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that waits for other writers first: it is committed whole, or not at all."""
        with self.guarded():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                self.connection.rollback()  # nothing where SQLite has done so itself, as it may on a full disk
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction in which all reads see one and the same state, whatever others write meanwhile."""
        with self.guarded():
            self.connection.execute("BEGIN")
            try:
                yield self.connection
            finally:
                self.connection.commit()

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Turn what the database refuses into our errors."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the second is a message that quotes damaged bytes
            _refuse(self.path, error)

    def settle(self) -> None:
        """Move what was committed from the log into the file, so that what was deleted stands in neither.

        While others read, it waits for the next time.
        """
        with self.guarded():
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script; a trigger has semicolons inside."""
    statement = ""
    for piece in script.split(";"):
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            if statement.strip(" \n;"):
                yield statement
            statement = ""


def _words(statement: str | None) -> str:
    return " ".join((statement or "").split())


def _open(path: Path, *, writable: bool, private: bool) -> sqlite3.Connection:
    if writable:
        with disk.guarded("write", path):
            if private:
                disk.make_private(path)
            path.parent.mkdir(parents=True, exist_ok=True)
        return sqlite3.connect(path, timeout=_PATIENCE_SECONDS)
    address = disk.resolved(path).as_uri()
    # Not mode=ro: who may not write at all leaves the log and its index behind, and nobody takes them away.
    connection = sqlite3.connect(f"{address}?mode=rw", timeout=_PATIENCE_SECONDS, uri=True)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.OperationalError:  # a read-only folder has no place for the index of the log
        connection.close()
        return sqlite3.connect(f"{address}?immutable=1", timeout=_PATIENCE_SECONDS, uri=True)
    except BaseException:
        connection.close()
        raise
    return connection


def _keep_log(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log, which is the one step for which SQLite itself does not wait for others."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return


def _refuse(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> NoReturn:
    if isinstance(error, (sqlite3.DatabaseError, UnicodeDecodeError)) and not isinstance(
        error, sqlite3.OperationalError
    ):
        problem = Problem(rule="store-damaged", message=f"the store cannot be read: {error}", advice="use another copy")
        raise FormatError(path, [problem]) from error
    raise refused(str(error), f"cannot use the store {path}") from error


def refused_to_library(error: BaseException, what: str) -> StorageError | None:
    """Return the same for what the system or a database refused to whatever library: its error may wrap theirs."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, sqlite3.OperationalError):
            return refused(str(seen), what)
        if isinstance(seen, OSError):
            return disk.refusal(seen, f"{what}: {disk.reason(seen)}")
        seen = seen.__cause__ or seen.__context__
    return None


def refused(told: str, what: str) -> StorageError:
    """Return the error that says `what` a database refuses, and in plain English why it has `told` so."""
    if "is full" in told or "No space left" in told:  # SQLite, PostgreSQL
        why = "no space left on the disk, or the quota is used up; free some and run the command again"
        return NoSpaceError(f"{what}: {why}")
    if "disk I/O error" in told:
        why = "the disk fails, is full, or allows no larger file; look after it and run the command again"
        return StorageError(f"{what}: {why}")
    if "readonly" in told:
        return StorageError(f"{what}: it, its folder or the disk is read-only, or it was removed meanwhile")
    if "unable to open database file" in told:
        return StorageError(f"{what}: its folder is gone, or no file can be made there (no permission, a full disk)")
    advice = "; another program holds it: wait until it has finished" if "locked" in told else ""
    return StorageError(f"{what}: {told}{advice}")
