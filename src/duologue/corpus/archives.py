"""Members of a folder, a zip or a tar archive, read without unpacking the archive.

An archive is gone through once for the names and sizes of its members and a hash of what they hold, and then shard by
shard. Memory stays small whatever its size: of a member no more is kept than name, size and place (the standard library
keeps an object of about a kilobyte, of which a large archive has half a million).
"""

from __future__ import annotations

import hashlib
import os
import struct
from abc import ABC, abstractmethod
from array import array
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

import numpy as np

from duologue.core import disk
from duologue.core.archives import tar_entries
from duologue.core.errors import FormatError
from duologue.core.records import Problem
from duologue.core.worker_pool import Shard
from duologue.corpus.contents import FEW_BLOCKS, SMALL_BLOCK, sampled
from duologue.corpus.members import GZIP, LIMIT, MemberData, Members, ShardPlan, shard_name

if TYPE_CHECKING:
    import tarfile
    from collections.abc import Callable, Container, Iterator

    from duologue.core.errors import DuologueError

_END, _END64, _LOCATOR64 = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q"), struct.Struct("<4sLQL")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_SMALL = 0xFFFFFFFF
"""Stands where a number does not fit into 32 bits."""


class Archive(Protocol):
    """What holds the files of a corpus."""

    def members(self, wanted: Callable[[str], bool]) -> Members:
        """Return the members with a wanted name. Raises `FormatError` when the archive is cut off or damaged."""

    def shards(self, plan: ShardPlan, done: Container[str]) -> Iterator[Shard]:
        """Yield the shards of a plan for what `members` gave; the content of each is a list of `MemberData`s.

        A shard whose name is in `done` comes without content.
        """


def open_archive(path: Path) -> Archive:
    """Return a folder, zip or tar archive (plain or gzip), told by its first bytes.

    Raises `StorageError` when it cannot be read, `FormatError` when it is none of these.
    """
    if path.is_dir():
        return _Folder(path)
    with disk.opened(path) as raw:
        start = raw.read(512)
    if start.startswith(b"PK"):
        return _Zip(path)
    if start.startswith(GZIP) or start[257:262] == b"ustar":
        return _Tar(path)
    raise FormatError(
        path,
        [
            Problem(
                rule="not-an-archive",
                message=f"expected a folder, a .zip, .tar or .tar.gz file; found bytes {start[:8].hex(' ') or 'none'}",
                advice="give the archive as it was downloaded, or the folder to which it was unpacked",
            )
        ],
    )


class _Ranged(ABC):
    """An archive whose members can be read at their place, by whoever has the path."""

    def shards(self, plan: ShardPlan, done: Container[str]) -> Iterator[Shard]:
        for number, stretch in enumerate(plan.shards):
            name = shard_name(number)
            chosen = [] if name in done else stretch
            yield Shard(name, [self._part(int(plan.places[place]), int(plan.keys[place])) for place in chosen])

    @abstractmethod
    def _part(self, place: int, key: int) -> MemberData:
        """Return where a member is read."""


class _Folder(_Ranged):
    """A folder; hidden files and folders are left out, links to folders are not followed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._names: list[str] = []

    def members(self, wanted: Callable[[str], bool]) -> Members:
        names, sizes = [], []
        content = hashlib.sha256()
        with disk.guarded("read", self._path):
            for folder, folders, files in os.walk(self._path, onerror=_raise):
                folders[:] = sorted(name for name in folders if not name.startswith("."))
                place = Path(folder).relative_to(self._path)
                for name in sorted(files):
                    member = (place / name).as_posix()
                    if not name.startswith(".") and wanted(member):
                        path = disk.regular(self._path / member)
                        names.append(member)
                        sizes.append(path.stat().st_size)
                        content.update(sampled(path, blocks=FEW_BLOCKS, block=SMALL_BLOCK))
        self._names = names
        return Members(names, np.array(sizes, np.int64), content.digest())

    def _part(self, place: int, key: int) -> MemberData:
        name = self._names[place]
        return MemberData(key, name, None, str((self._path / name).absolute()), offset=-1)


def _raise(error: OSError) -> None:
    raise error


class _Zip(_Ranged):
    """A zip archive, also one with more than 65,535 members or 4 GiB (zip64)."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._names: list[str] = []
        self._places = np.zeros((0, 3), np.int64)
        """(members, 3): offset, packed size, method."""

    def members(self, wanted: Callable[[str], bool]) -> Members:
        names, places = [], array("q")
        content = hashlib.sha256()
        for name, checksum, *place in self._directory():
            if not name.endswith("/") and wanted(name):
                names.append(name)
                content.update(checksum.to_bytes(4, "little"))
                places.extend(place)
        self._names = names
        self._places = np.frombuffer(places, np.int64).reshape(-1, 3)
        starts, sizes = self._places[np.argsort(self._places[:, 0], kind="stable"), :2].T
        if (starts[1:] < starts[:-1] + sizes[:-1]).any() or (starts[1:] == starts[:-1]).any():
            raise _damaged(self._path, "files in it overlap, so that a small archive holds very much")
        return Members(names, self._places[:, 1], content.digest())

    def _part(self, place: int, key: int) -> MemberData:
        offset, size, method = self._places[place].tolist()
        return MemberData(key, self._names[place], None, str(self._path.absolute()), offset, size, method)

    def _directory(self) -> Iterator[tuple[str, int, int, int, int]]:
        """Yield name, checksum, offset, packed size and method of each entry."""
        with disk.opened(self._path) as raw:
            size = raw.seek(0, os.SEEK_END)
            count, offset = self._end(raw, size)
            raw.seek(min(offset, size))
            for _ in range(count):
                header = raw.read(_CENTRAL.size)
                if len(header) < _CENTRAL.size or not header.startswith(b"PK\x01\x02"):
                    raise _damaged(self._path, "its directory is cut off")
                _, _, _, flags, method, _, _, checksum, packed, full, *lengths, _, _, _, place = _CENTRAL.unpack(header)
                name = raw.read(lengths[0])
                extra = raw.read(lengths[1])
                raw.seek(lengths[2], os.SEEK_CUR)
                packed, place = _large(extra, full, packed, place)
                if max(packed, place) > size:
                    raise _damaged(self._path, "its directory names a file that lies beyond its end")
                text = name.decode("utf-8" if flags & 0x800 else "cp437", "surrogateescape")
                yield text, checksum, place, packed, method

    def _end(self, raw: IO[bytes], size: int) -> tuple[int, int]:
        """Return the number of entries and where the directory begins."""
        tail_start = max(size - 65535 - _END.size - _LOCATOR64.size, 0)
        raw.seek(tail_start)
        tail = raw.read()
        place = tail.rfind(b"PK\x05\x06")
        if place < 0 or place + _END.size > len(tail):
            raise _damaged(self._path, "its end, where the directory is, is missing")
        count, offset = _END.unpack_from(tail, place)[4], _END.unpack_from(tail, place)[6]
        locator = place - _LOCATOR64.size
        if locator >= 0 and tail.startswith(b"PK\x06\x07", locator):
            raw.seek(min(_LOCATOR64.unpack_from(tail, locator)[2], size))
            record = raw.read(_END64.size)
            if len(record) < _END64.size or not record.startswith(b"PK\x06\x06"):
                raise _damaged(self._path, "its directory is not where it should be")
            count, offset = _END64.unpack(record)[7], _END64.unpack(record)[9]
        return count, offset


def _large(extra: bytes, full: int, packed: int, place: int) -> tuple[int, int]:
    """Return packed size and offset, taken from the zip64 field where they do not fit into 32 bits.

    What the field lacks stays as it is: a size that no archive has, or a place beyond its end.
    """
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<2H", extra)
        if kind == 1:
            field = extra[4 : 4 + length]
            numbers = iter(struct.unpack(f"<{len(field) // 8}Q", field[: len(field) // 8 * 8]))
            if full == _SMALL:
                next(numbers, None)
            if packed == _SMALL:
                packed = next(numbers, packed)
            if place == _SMALL:
                place = next(numbers, place)
            break
        extra = extra[4 + length :]
    return packed, place


class _Tar:
    """A tar archive, plain or gzip: a stream that is read from front to end, twice."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._wanted: Callable[[str], bool] = bool

    def members(self, wanted: Callable[[str], bool]) -> Members:
        self._wanted = wanted
        names, sizes = [], array("q")
        for name, size, _ in self._walk():
            names.append(name)
            sizes.append(size)
        return Members(names, np.frombuffer(sizes, np.int64), sampled(self._path))

    def shards(self, plan: ShardPlan, done: Container[str]) -> Iterator[Shard]:
        stream = enumerate(self._walk())
        for number, stretch in enumerate(plan.shards):
            name = shard_name(number)
            parts = []
            for chosen in [] if name in done else stretch:
                member, _, read = next(found for at, found in stream if at == plan.places[chosen])
                parts.append(MemberData(int(plan.keys[chosen]), member, read()))
            yield Shard(name, parts)

    def _walk(self) -> Iterator[tuple[str, int, Callable[[], bytes]]]:
        """Yield name, size and a function that reads it for each wanted file."""
        for info, tar in tar_entries(self._path, held=False):
            if info.isfile() and self._wanted(info.name):
                yield info.name, info.size, _reader(tar, info)


def _reader(tar: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[], bytes]:
    def read() -> bytes:
        file = tar.extractfile(info)
        assert file is not None  # a regular file
        return file.read(LIMIT + 1)

    return read


def _damaged(path: Path, message: str) -> DuologueError:
    return FormatError(
        path, [Problem(rule="archive-damaged", message=message, advice="download or copy the archive again")]
    )
