"""Limits on decompression (zip bombs), shared by everything that unpacks.

A few megabytes of gzip can hold gigabytes. Whatever is unpacked goes through a `Meter`, which refuses what grows past
the limits: beyond `FREE` bytes at most `RATIO` times the packed bytes, at most `HELD` bytes of what is held at once,
and at most `STREAMED` bytes of what is gone through piece by piece. A user who means it raises all of them together:
`duologue --max-unpacked SIZE ...`, or the environment variable `DUOLOGUE_MAX_UNPACKED`, which worker processes inherit.

Readers of files use `disk.read_bytes` and `disk.Source`, which are bounded by this; files within .zip and .tar.gz
archives are read with `archives.members` or `archives.unpacked`. Who unpacks by other means counts with a `Meter`.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, NamedTuple, NoReturn

from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RATIO = 100
"""Bytes that one packed byte may give; text gives 3 to 15."""
FREE = 1 << 20
"""Bytes that any file may unpack to, whatever the ratio: so many empty lines take a few seconds at the most."""
HELD = 1 << 30
"""Bytes that may be unpacked into memory."""
STREAMED = 64 << 30
"""Bytes that may be unpacked piece by piece."""
VARIABLE = "DUOLOGUE_MAX_UNPACKED"
"""The environment variable that raises the limits."""
PIECE = 1 << 18
"""Bytes that are read, and unpacked, at once."""
RULE = "unpacked-size"
RULE_SAYS = "a packed file unpacks to no more than the limit (`--max-unpacked`)"

GZIP = b"\x1f\x8b"
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
_DAMAGE = (gzip.BadGzipFile, EOFError, ValueError, zlib.error)
"""What unpacking damaged gzip data raises."""
_SIZE = re.compile(r"([0-9]{1,15})(?:([kmgt])(?:i?b)?)?", re.IGNORECASE | re.ASCII)
_UNITS = {"k": 10, "m": 20, "g": 30, "t": 40}


class UnpackLimits(NamedTuple):
    """How far files may swell."""

    held: int = HELD
    streamed: int = STREAMED
    ratio: int | None = RATIO
    """`None`: any."""


def parse_size(text: str) -> int:
    """Return the bytes that a size means: a number with K, M, G or T (powers of 1,024), or of bytes.

    Raises `UsageError` for anything else, and for nothing at all.

    >>> parse_size("8G"), parse_size("500 MiB"), parse_size("1000")
    (8589934592, 524288000, 1000)
    """
    found = _SIZE.fullmatch(text.replace(" ", ""))
    size = int(found[1]) << _UNITS.get((found[2] or "").lower(), 0) if found else 0
    if not size:
        raise UsageError(f"'{text}' is no size; give a number with K, M, G or T, such as 8G")
    return size


def limits() -> UnpackLimits:
    """Return the limits that hold now. Raises `UsageError` where the environment variable holds no size."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return UnpackLimits()
    try:
        size = parse_size(text)
    except UsageError as error:
        raise UsageError(f"the environment variable {VARIABLE}: {error}") from error
    return UnpackLimits(held=size, streamed=size, ratio=None)


@contextmanager
def allowing(size: str) -> Iterator[None]:
    """Raise all limits to a size while the block runs, in this process and in those that it starts.

    Raises `UsageError` for what is no size.
    """
    parse_size(size)
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = size
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


class Meter:
    """Counts what goes into an unpacker and what comes out, and refuses what swells past the limits.

    `held` tells whether all that comes out is kept in memory. `what` is called so in the message.
    """

    def __init__(self, path: object, *, held: bool = False, what: str = "it") -> None:
        self.path = path
        self.what = what
        self.packed = 0
        self.unpacked = 0
        self._limits = limits()
        self._most = self._limits.held if held else self._limits.streamed

    def count(self, unpacked: int, packed: int = 0) -> None:
        """Count bytes. Raises `FormatError` (rule `unpacked-size`) when they are too many."""
        self.packed += packed
        self.unpacked += unpacked
        ratio = self._limits.ratio
        if self.unpacked > self._most:
            self._refuse(f"more than {shown(self._most)}")
        if ratio is not None and self.unpacked > max(FREE, ratio * self.packed):
            self._refuse(f"more than {shown(FREE)} and over {ratio} times its packed size")

    def _refuse(self, how: str) -> NoReturn:
        problem = Problem(
            rule=RULE,
            message=f"{self.what} unpacks to {how}, which is the limit; {shown(self.packed)} of it had been read",
            advice=f"if you trust it, allow more: duologue --max-unpacked {_enough(self._most)} ...",
        )
        raise FormatError(self.path, [problem])


def _enough(limit: int) -> str:
    """Return a size well above the limit, as the option takes it."""
    return f"{max(4 * limit >> 30, 1)}G"


def shown(size: int) -> str:
    """Return a size as people read it.

    >>> shown(3 << 20), shown(1 << 30), shown(10)
    ('3 MiB', '1 GiB', '10 bytes')
    """
    for unit, bits in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << bits:
            return f"{size / (1 << bits):.3g} {unit}"
    return f"{size} bytes"


def pieces(raw: IO[bytes], path: object, *, held: bool = False) -> Iterator[bytes]:
    """Yield the bytes of an open file in pieces of at most `PIECE`, unpacked when it is gzip (told by its first bytes).

    It is read from where it stands and never sought, so that it may be a pipe. Raises `FormatError` for damaged
    gzip data and for data that swells past the limits.
    """
    start = raw.read(PIECE)
    if not start.startswith(GZIP):
        while start:
            yield start
            start = raw.read(PIECE)
        return
    meter = Meter(path, held=held)
    unpacker = gzip.GzipFile(fileobj=_Rewound(start, raw, meter), mode="rb")  # type: ignore[call-overload]  # it never seeks
    while True:
        try:
            piece = unpacker.read(PIECE)
        except _DAMAGE as error:
            _refuse_damaged("gzip", path, error)
        if not piece:
            return
        meter.count(len(piece))
        yield piece


class _Rewound:
    """A file whose first bytes are taken already: a pipe cannot go back to them."""

    def __init__(self, start: bytes, rest: IO[bytes], meter: Meter) -> None:
        self._start = start
        self._rest = rest
        self._meter = meter

    def read(self, size: int) -> bytes:
        """Return up to so many bytes."""
        found = self._start[:size] or self._rest.read(size)
        self._start = self._start[size:]
        self._meter.packed += len(found)
        return found


def is_bzip2(start: bytes) -> bool:
    """Tell whether the first bytes of a file are those of bzip2."""
    return _BZIP2.match(start) is not None


def bunzipped(packed: Iterable[bytes], path: object) -> Iterator[bytes]:
    """Yield what bzip2 data, of one or several streams, unpacks to, in pieces of at most `PIECE`.

    Raises `FormatError` for damaged data and for data that swells past the limits.
    """
    from bz2 import BZ2Decompressor

    meter = Meter(path)
    unpacker = BZ2Decompressor()
    try:
        for piece in packed:
            meter.count(0, len(piece))
            rest = piece
            while rest or not unpacker.needs_input:
                if unpacker.eof:
                    rest = unpacker.unused_data + rest
                    if not rest:
                        break
                    unpacker = BZ2Decompressor()
                found = unpacker.decompress(rest, PIECE)
                rest = b""
                if found:
                    meter.count(len(found))
                    yield found
    except (OSError, ValueError, EOFError) as error:
        _refuse_damaged("bzip2", path, error)
    if not unpacker.eof:
        _refuse_damaged("bzip2", path, EOFError("it ends too early"))


def _refuse_damaged(kind: str, path: object, error: Exception) -> NoReturn:
    problem = Problem(
        rule=f"{kind}-damaged",
        message=f"the {kind} data cannot be unpacked ({error})",
        advice="copy or download the file again",
    )
    raise FormatError(path, [problem]) from error
