"""Files in the database, by their hash: so that a backup holds them, and a kill leaves none half-written."""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from duologue.arena.competition.tables import blobs
from duologue.core.errors import StorageError, UsageError

if TYPE_CHECKING:
    from sqlalchemy import Connection

_LARGEST = 512 << 20
"""Bytes of a file that a database keeps well."""
_LEVEL = 6


def keep(connection: Connection, data: bytes) -> str:
    """Keep the bytes of a file and return their SHA-256. Raises `UsageError` for more than 512 MiB."""
    if len(data) > _LARGEST:
        raise UsageError(f"the file has {len(data):,} bytes; a track keeps files of at most {_LARGEST:,}")
    name = hashlib.sha256(data).hexdigest()
    if connection.execute(select(blobs.c.sha256).where(blobs.c.sha256 == name)).first() is None:
        connection.execute(insert(blobs).values(sha256=name, size=len(data), data=zlib.compress(data, _LEVEL)))
    return name


def fetch(connection: Connection, sha256: str) -> bytes:
    """Return the bytes of a file. Raises `StorageError` where they are not there, or not what they were."""
    packed = connection.execute(select(blobs.c.data).where(blobs.c.sha256 == sha256)).scalar()
    if packed is None:
        raise StorageError(f"the database has no file {sha256[:12]}; restore it from a backup")
    data = zlib.decompress(packed)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise StorageError(f"the file {sha256[:12]} in the database is damaged; restore it from a backup")
    return data
