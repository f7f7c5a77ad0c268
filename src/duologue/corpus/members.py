"""Archive members: listing them, grouping them into shards, reading and unpacking one."""

from __future__ import annotations

import io
import os
import struct
import zlib
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.core import disk
from duologue.core.extras import need

if TYPE_CHECKING:
    from numpy.typing import NDArray

LIMIT = 64 << 20
"""Bytes that a member may have, and to which it may unpack; a few bytes can be made to swell to any size."""
GZIP = b"\x1f\x8b"
STORED, _DEFLATED = 0, 8
_LOCAL = struct.Struct("<4s5H3L2H")


class Members(NamedTuple):
    """The wanted files of an archive, in the order in which they lie there."""

    names: list[str]
    """Their paths in the archive, with `/` between folders."""
    sizes: NDArray[np.int64]
    """Bytes as they lie there, (members,)."""
    content: bytes
    """A hash of what they hold (`contents`): another where an archive of equal names and sizes has other text."""


class ShardPlan(NamedTuple):
    """Which members make which shard."""

    places: NDArray[np.int64]
    """Numbers of members, ascending: (chosen,)."""
    keys: NDArray[np.int64]
    """What the caller calls each of them: (chosen,)."""
    shards: list[range]
    """Stretches of the chosen."""


class MemberData(NamedTuple):
    """A member with its bytes, or with what is needed to read them."""

    key: int
    """The number that the caller gave it."""
    name: str
    data: bytes | None
    """As it lies in the archive; `None` where `path` tells where to read it."""
    path: str = ""
    offset: int = 0
    """Where in `path`; -1 for the whole file."""
    size: int = 0
    method: int = STORED


def shard_name(number: int) -> str:
    """Return the name of a shard's file.

    >>> shard_name(7)
    'part-00007.parquet'
    """
    return f"part-{number:05}.parquet"


def divide(sizes: NDArray[np.int64], target: int) -> list[range]:
    """Return consecutive ranges of items whose sizes add up to about `target`, each of at least one item.

    >>> divide(np.array([3, 3, 3, 9, 1]), 6)
    [range(0, 2), range(2, 3), range(3, 4), range(4, 5)]
    """
    if not len(sizes):
        return []
    number = (np.cumsum(sizes) - 1) // target  # which range the end of each item lies in
    cuts = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(sizes)]
    return [range(start, end) for start, end in pairwise(cuts)]


def unpack(part: MemberData) -> bytes:
    """Return the bytes of a member, unpacked from the archive and, where it is gzip itself, once more.

    Raises `ValueError` that says what is wrong for a damaged member, `StorageError` when a file is gone.
    """
    data = _raw(part) if part.data is None else part.data
    if len(data) > LIMIT:
        raise ValueError(f"it has more than {LIMIT >> 20} MiB; no such file has")
    if part.method == _DEFLATED:
        data = _inflate(data, -zlib.MAX_WBITS)
    elif part.method != STORED:
        raise ValueError(f"packed by method {part.method} of zip; only 0 (stored) and 8 (deflated) are read")
    return _inflate(data, 16 + zlib.MAX_WBITS) if data.startswith(GZIP) else data


def _raw(part: MemberData) -> bytes:
    with disk.opened(Path(part.path)) as raw:
        if part.offset < 0:
            return raw.read(LIMIT + 1)
        raw.seek(part.offset)
        header = raw.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(b"PK\x03\x04"):
            raise ValueError("its place in the zip holds no file")
        name, extra = _LOCAL.unpack(header)[-2:]
        raw.seek(name + extra, os.SEEK_CUR)
        data = raw.read(min(part.size, LIMIT + 1))
    if len(data) < min(part.size, LIMIT + 1):
        raise ValueError("the zip ends in the middle of it")
    return data


def _inflate(data: bytes, bits: int) -> bytes:
    """Unpack deflated data or all members of gzip data. Raises `ValueError` for damage and beyond `LIMIT`."""
    isal = need("isal.isal_zlib", "corpus")
    try:
        if bits > 0:  # gzip files may be joined, or padded by zeros; very many of them are read in one pass
            with need("isal.igzip", "corpus").GzipFile(fileobj=io.BytesIO(data)) as file:
                found: bytes = file.read(LIMIT + 1)
            whole = True
        else:
            packer = isal.decompressobj(bits)
            found = packer.decompress(data, LIMIT + 1)
            whole = packer.eof
    except EOFError as error:
        raise ValueError("its packed data ends too early") from error
    except (isal.error, OSError) as error:
        raise ValueError(f"its packed data is damaged ({error})") from error
    if len(found) > LIMIT:
        raise ValueError(f"it unpacks to more than {LIMIT >> 20} MiB; no such file does")
    if not whole:
        raise ValueError("its packed data ends too early")
    return found
