"""Backups of a running site as one file: all rows of one moment and the files that people gave.

A zip file with `manifest.json`, `tables/NAME.jsonl` and `files/SHA256`. It says nothing of the kind of database, so a
site may move from SQLite to PostgreSQL with it.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from typing import IO, TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import Integer, func, select, text
from sqlalchemy.exc import IntegrityError

from duologue.arena.database.damage import damaged
from duologue.arena.database.rows import read_rows, write_rows
from duologue.arena.database.tables import metadata
from duologue.core.archives import DAMAGE
from duologue.core.decompression import Meter
from duologue.core.disk import guarded, opened, replacing
from duologue.core.errors import FormatError, StorageError
from duologue.core.records import Problem, Record
from duologue.core.typed import decode_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection, Table

    from duologue.arena.database.blobs import Blobs
    from duologue.arena.database.database import Database

_FORMAT: Final = 1
_MANIFEST: Final = "manifest.json"
_LARGEST_MANIFEST: Final = 1 << 20
_KEPT: Final = re.compile(r"files/([0-9a-f]{64})")
_DECODER: Final = msgspec.json.Decoder(dict[str, Any])


class TableCopy(Record, frozen=True, kw_only=True):
    """What a backup says of one table."""

    rows: int
    sha256: str
    """Of its lines."""


class Backup(Record, frozen=True, kw_only=True):
    """What a backup holds."""

    format: int
    made_at: int
    """Milliseconds since 1970."""
    tables: dict[str, TableCopy]
    files: int

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return sum(one.rows for one in self.tables.values())


def back_up(database: Database, blobs: Blobs, out: Path) -> Backup:
    """Write all rows of one moment and all files to `out`, while others go on writing. The file appears whole.

    Only its owner can read it: it holds what the site holds. Raises `StorageError` for a kept file that was changed.
    """
    with (
        replacing(out, private=True) as raw,
        zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive,
        database.reading() as connection,
    ):
        made_at = database.now()
        copies = {table.name: _copy(connection, table, archive) for table in metadata.sorted_tables}
        files = 0
        for name in blobs.names():
            _keep(blobs.path(name), name, archive)
            files += 1
        backup = Backup(format=_FORMAT, made_at=made_at, tables=copies, files=files)
        archive.writestr(zipfile.ZipInfo(_MANIFEST), msgspec.json.encode(backup), zipfile.ZIP_DEFLATED)
    return backup


def _copy(connection: Connection, table: Table, archive: zipfile.ZipFile) -> TableCopy:
    digest, rows = hashlib.sha256(), 0
    with archive.open(f"tables/{table.name}.jsonl", "w", force_zip64=True) as file:
        for row in read_rows(connection, table):
            line = msgspec.json.encode(row) + b"\n"
            digest.update(line)
            file.write(line)
            rows += 1
    return TableCopy(rows=rows, sha256=digest.hexdigest())


def _keep(path: Path, name: str, archive: zipfile.ZipFile) -> None:
    """Copy a kept file, whatever time it has: zip files know none before 1980.

    Raises `StorageError` for one whose bytes are not those it was named by: no restore would take the backup.
    """
    digest = hashlib.sha256()
    with archive.open(zipfile.ZipInfo(f"files/{name}"), "w", force_zip64=True) as copy:
        for piece in _pieces_of(path):
            digest.update(piece)
            copy.write(piece)
    if digest.hexdigest() != name:
        reason = "its bytes are not those it was named by, and a backup with it could not be restored"
        raise damaged(f"the kept file {path}", reason)


def restore(source: Path, database: Database, blobs: Blobs) -> Backup:
    """Fill an empty database, and the folder of files, from a backup: all of it or nothing.

    Raises `FormatError` for a file that is no backup or was changed, and `StorageError` for a database with rows.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            backup = _manifest(archive, source)
            kept = _check(archive, backup, source)

            def action(connection: Connection) -> None:
                _refuse_rows(connection, database)
                for table in metadata.sorted_tables:
                    if table.name in backup.tables:
                        with archive.open(f"tables/{table.name}.jsonl") as file:
                            write_rows(connection, table, _decoded(file, table, source))
                _continue_numbers(connection)

            there = set(blobs.names())
            try:
                for name in kept:
                    blobs.copy(name, _unpacked(archive, f"files/{name}", source))
                database.write(action)
            except BaseException:
                for name in set(kept) - there:
                    blobs.delete(name)
                raise
    except IntegrityError as error:
        raise _refusal(source, f"has rows that contradict each other: {error.orig}") from error
    except (*DAMAGE, msgspec.MsgspecError) as error:
        raise _refusal(source, f"cannot be read: {error}") from error
    except OSError as error:
        raise StorageError(f"{source} cannot be read: {error.strerror or error}") from error
    return backup


def _unpacked(archive: zipfile.ZipFile, member: str, source: Path) -> Iterator[bytes]:
    """Yield what a member holds; what the disk refuses here is said of the backup, and not of the copy."""
    with guarded("read", source), archive.open(member) as file:
        yield from _pieces(file)


def _decoded(lines: IO[bytes], table: Table, source: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table. Raises `FormatError` for a line that is none."""
    for number, line in enumerate(lines, 1):
        try:
            yield _DECODER.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise _refusal(source, f"has no row in tables/{table.name}.jsonl, line {number}: {error}") from error


def _manifest(archive: zipfile.ZipFile, source: Path) -> Backup:
    try:
        with archive.open(_MANIFEST) as file:
            backup = decode_json(file.read(_LARGEST_MANIFEST), Backup)
    except KeyError:
        raise _refusal(source, f"has no {_MANIFEST}") from None
    known = {table.name for table in metadata.sorted_tables}
    if backup.format != _FORMAT or not set(backup.tables) <= known:
        raise _refusal(source, "was written by another version of duologue: restore it with that one")
    return backup


def _check(archive: zipfile.ZipFile, backup: Backup, source: Path) -> list[str]:
    """Read all of a backup once, and return the names of its files.

    Raises `FormatError` for what was changed, and where it swells past the limits.
    """
    meter = Meter(source, what="the backup")
    meter.count(0, source.stat().st_size)
    names = set(archive.namelist())
    for table, copy in backup.tables.items():
        member = f"tables/{table}.jsonl"
        if member not in names:
            raise _refusal(source, f"lacks {member}")
        with archive.open(member) as file:
            if _hash(file, meter) != copy.sha256:
                raise _refusal(source, f"has other rows of {table} than its manifest says")
    kept = sorted(match[1] for name in names if (match := _KEPT.fullmatch(name)))
    if len(kept) != backup.files:
        raise _refusal(source, f"has {len(kept)} kept files; its manifest says {backup.files}")
    for name in kept:
        with archive.open(f"files/{name}") as file:
            if _hash(file, meter) != name:
                raise _refusal(source, f"has other bytes in files/{name} than its name says")
    return kept


def _hash(file: IO[bytes], meter: Meter) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(file):
        meter.count(len(piece))
        digest.update(piece)
    return digest.hexdigest()


def _pieces_of(path: Path) -> Iterator[bytes]:
    """Yield what a file holds; what the disk refuses here is said of it, and not of the backup."""
    with opened(path) as file:
        yield from _pieces(file)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(1 << 20):
        yield piece


def _refuse_rows(connection: Connection, database: Database) -> None:
    for table in metadata.sorted_tables:
        rows = connection.execute(select(func.count()).select_from(table)).scalar_one()
        if rows:
            raise StorageError(
                f"the database at {database.place} has {rows:,} rows in {table.name} already: "
                f"restore into an empty one (another --workspace or --database)"
            )


def _continue_numbers(connection: Connection) -> None:
    """Let PostgreSQL number new rows after those that were restored, as SQLite does by itself."""
    if connection.dialect.name != "postgresql":
        return
    for table in metadata.sorted_tables:
        key = table.autoincrement_column
        if key is not None and isinstance(key.type, Integer):
            sequence = connection.execute(
                text("SELECT pg_get_serial_sequence(:table, :column)"), {"table": table.name, "column": key.name}
            ).scalar_one()
            highest = connection.execute(select(func.max(key))).scalar_one()
            if sequence and highest is not None:
                connection.execute(
                    text("SELECT setval(:sequence, :highest)"), {"sequence": sequence, "highest": highest}
                )


def _refusal(source: Path, message: str) -> FormatError:
    advice = "take a file that `duologue site backup` wrote"
    return FormatError(source, [Problem(rule="site-backup", message=message, advice=advice)])
