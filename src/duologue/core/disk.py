"""Reading and writing files so that nothing is lost and nothing is half-written.

Every reader and writer of the house goes through these: gzip is read directly, a file appears under
its name only when it is complete, and what the disk refuses becomes a `StorageError` in plain English.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import json
import os
import stat
import struct
import tempfile
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

import msgspec

from duologue.core.errors import FormatError, StorageError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_HEADER = _GZIP_MAGIC + b"\x08\x00\x00\x00\x00\x00\x02\xff"
"""Deflate, no flags, no time, packed as well as it can be, on an unknown system: RFC 1952, section 2.3."""
_LEVEL = 9
_DAMAGE = (gzip.BadGzipFile, EOFError, ValueError, zlib.error)
"""What unpacking damaged gzip data raises."""

BOM = "\ufeff"
BOM_FOUND = Problem(
    rule="byte-order-mark",
    severity="warning",
    place="byte 0",
    message="the file starts with a byte order mark, which the official programs refuse",
    advice="save it as UTF-8 without BOM",
)
PIECE = 1 << 18
"""Bytes that are read at once."""
SMALL = 2 << 20
"""Bytes of a file that is held."""


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file, unpacked when it is gzip (told by its first bytes, not its name).

    Raises `StorageError` when there is no such file, it is a folder or may not be read, and
    `FormatError` when the gzip data is damaged.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        _refuse("read", path, error)
    if not raw.startswith(_GZIP_MAGIC):
        return raw
    try:
        return gzip.decompress(raw)
    except _DAMAGE as error:
        _refuse_gzip(path, error)


class Source:
    """The unpacked bytes of a file, gone through piece by piece as often as needed.

    Up to `SMALL` bytes are held, and all of what can be read only once (a pipe); a larger file is read anew each
    time, so that memory does not grow with it. Raises `StorageError` when the file cannot be read, or has changed
    between two times, and `FormatError` when its gzip data is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: tuple[bytes, ...] | None = None
        with _opened(path) as raw:
            status = os.fstat(raw.fileno())
            self._state = _state_of(status)
            found: list[bytes] = []
            size = 0
            for piece in _pieces(raw, path):
                found.append(piece)
                size += len(piece)
                if size > SMALL and stat.S_ISREG(status.st_mode):
                    return
            self._held = tuple(found)

    @classmethod
    def of(cls, data: bytes, path: Path | None = None) -> Source:
        """Return bytes that are at hand as a source; `path` is what messages call it."""
        made = cls.__new__(cls)
        made.path = path or Path("the text")
        made._held = (data,)
        return made

    @property
    def held(self) -> bool:
        """Whether the bytes are held, so that they may as well be kept cut."""
        return self._held is not None

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes in pieces of about `PIECE`."""
        if self._held is not None:
            yield from self._held
            return
        with _opened(self.path) as raw:
            if _state_of(os.fstat(raw.fileno())) != self._state:
                raise StorageError(f"{self.path} has changed while it was read; run the command again")
            yield from _pieces(raw, self.path)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to be read in pieces; whatever the disk refuses on the way becomes a `StorageError`."""
    try:
        with path.open("rb") as raw:
            yield raw
    except OSError as error:
        _refuse("read", path, error)


def _pieces(raw: IO[bytes], path: Path) -> Iterator[bytes]:
    start = raw.read(PIECE)
    if not start.startswith(_GZIP_MAGIC):
        while start:
            yield start
            start = raw.read(PIECE)
        return
    unpacked = gzip.GzipFile(fileobj=_Rewound(start, raw), mode="rb")  # type: ignore[call-overload]  # it never seeks
    while True:
        try:
            piece = unpacked.read(PIECE)
        except _DAMAGE as error:
            _refuse_gzip(path, error)
        if not piece:
            return
        yield piece


class _Rewound:
    """A file whose first bytes are taken already: a pipe cannot go back to them."""

    def __init__(self, start: bytes, rest: IO[bytes]) -> None:
        self._start = start
        self._rest = rest

    def read(self, size: int) -> bytes:
        """Return up to so many bytes."""
        found = self._start[:size] or self._rest.read(size)
        self._start = self._start[size:]
        return found


def _state_of(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _refuse_gzip(path: Path, error: Exception) -> NoReturn:
    problem = Problem(
        rule="gzip-damaged",
        message=f"the gzip data cannot be unpacked ({error})",
        advice="copy or download the file again",
    )
    raise FormatError(path, [problem]) from error


def sha256(data: bytes) -> str:
    """Return the SHA-256 of the bytes in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def decode_text(data: bytes, path: Path) -> tuple[str, list[Problem]]:
    """Return UTF-8 text without its byte order mark, and a warning when there was one.

    Raises `FormatError` naming the line and byte of the first bytes that are not UTF-8.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        refuse_bytes(path, error)
    return (text[1:], [BOM_FOUND]) if text.startswith(BOM) else (text, [])


def refuse_bytes(path: Path, error: UnicodeDecodeError, *, lines: int = 0, size: int = 0) -> NoReturn:
    """Raise the `FormatError` that says where bytes are no UTF-8; `lines` and `size` (bytes) came before them."""
    data = error.object
    line = lines + data.count(b"\n", 0, error.start) + 1
    problem = Problem(
        rule="not-utf8",
        place=f"line {line}, byte {size + error.start}",
        message=f"found bytes {data[error.start : error.start + 4].hex(' ')}, which are not UTF-8",
        advice="save the file as UTF-8",
    )
    raise FormatError(path, [problem]) from error


def decode_json(text: str, path: Path) -> Any:
    """Return what the JSON text holds, with Python's reading of NaN and of duplicate keys (the last wins).

    Raises `FormatError` that names line and column. msgspec reads three times as fast and says the same of all
    that it accepts; what it refuses (NaN, half surrogate pairs, mistakes) is for the standard library to judge.
    """
    with suppress(msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return msgspec.json.decode(text)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = Problem(
            rule="not-json",
            place=f"line {error.lineno}, column {error.colno}",
            message=f"not valid JSON: {error.msg}; found {_excerpt(text, error.pos)}",
            advice="was the file cut off?" if error.pos >= len(text.rstrip()) - 1 else "mend or regenerate the file",
        )
        raise FormatError(path, [problem]) from error
    except (RecursionError, ValueError) as error:  # nesting, or an integer of thousands of digits
        problem = Problem(rule="not-json", message=f"the JSON cannot be read: {error}")
        raise FormatError(path, [problem]) from error


def read_json(path: Path) -> tuple[Any, bytes, list[Problem]]:
    """Return the decoded JSON of a file, its unpacked bytes, and warnings."""
    data = read_bytes(path)
    text, warnings = decode_text(data, path)
    return decode_json(text, path), data, warnings


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to be written whole: it takes its name only when the block ends without an error.

    A name that ends in `.gz` is packed, without name and time stamp, so that equal content gives equal
    bytes. Missing parent folders are made. Raises `StorageError` for what the disk refuses; then, and on
    Ctrl-C, the temporary file is removed and an older file of that name stays as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        _refuse("write", path, error)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as raw:
            if path.suffix == ".gz":
                packer = _Packer(raw)
                yield packer  # type: ignore[misc]  # a binary file in all but its declaration
                packer.finish()
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        _remove(temporary)
        _refuse("write", path, error)
    except BaseException:
        _remove(temporary)
        raise


class _Packer(io.BufferedIOBase):
    """Packs what is written into a gzip file without name and time.

    The library's `GzipFile` holds bytes back from Python 3.12 on, and after an error writes them when it is
    collected: to a full disk or a closed file, with a complaint on standard error. This one holds nothing.
    """

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._checksum = 0
        self._size = 0
        raw.write(_GZIP_HEADER)

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self._raw.write(self._deflate.compress(data))
        self._checksum = zlib.crc32(data, self._checksum)
        self._size += len(data)
        return len(data)

    def finish(self) -> None:
        """Write what makes the file complete."""
        self._raw.write(self._deflate.flush())
        self._raw.write(struct.pack("<LL", self._checksum, self._size & 0xFFFFFFFF))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file at once, or leave the old one untouched."""
    with replacing(path) as out:
        out.write(data)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text as a whole file at once, or leave the old one untouched."""
    write_bytes(path, text.encode("utf-8"))


@contextmanager
def replacing_text(path: Path) -> Iterator[IO[str]]:
    """Do what `replacing` does, for UTF-8 text; line ends are written as they are."""
    with replacing(path) as out:
        wrapper = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
        yield wrapper
        wrapper.flush()
        wrapper.detach()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _remove(temporary: Path) -> None:
    with suppress(OSError):
        temporary.unlink(missing_ok=True)


def _excerpt(text: str, position: int) -> str:
    piece = text[position : position + 20]
    return repr(piece) if piece else "the end of the file"


def _refuse(verb: str, path: Path, error: OSError) -> NoReturn:
    reasons = {
        errno.ENOENT: "there is no such file or folder",
        errno.EISDIR: "it is a folder, a file is expected",
        errno.ENOTDIR: "a part of the path is a file, not a folder",
        errno.EACCES: "no permission",
        errno.EPERM: "no permission",
        errno.EROFS: "the disk is read-only",
        errno.ENOSPC: "no space left on the disk; free some and run the command again",
        errno.EDQUOT: "the disk quota is used up; free some space and run the command again",
        errno.ENAMETOOLONG: "the name is too long",
    }
    reason = reasons.get(error.errno or 0, error.strerror or str(error))
    raise StorageError(f"cannot {verb} {path}: {reason}") from error
