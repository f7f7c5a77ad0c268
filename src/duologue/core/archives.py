"""Files in a .zip, .tar or .tar.gz archive from an untrusted source.

    for name, data in members(path, wanted=lambda name: name.endswith(".json")): ...

    with unpacked(path) as folder:   # for readers that want a path
        submission = task.read(folder / "task1.answers.json")

What an archive says of itself is believed nowhere: sizes are counted as they come out (`decompression`: ratio and size,
`--max-unpacked` raises them), and an archive is refused as a whole, with all that is wrong, for names that lead out
of it, links, devices, names given twice, encryption, and more than `LIMIT` files. Large corpora, of which no file is
held, have a reader of their own (`corpus.archives`).
"""

from __future__ import annotations

import io
import lzma
import re
import struct
import tarfile
import zipfile
import zlib
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

from duologue.core import decompression, disk
from duologue.core.errors import FormatError
from duologue.core.problems import ProblemCollector
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LIMIT = 10_000
"""Entries that an archive may have, folders included."""
_LONGEST = 1_000
"""Characters of a name."""
_LEADS_OUT = re.compile(r"\A(?:/|[A-Za-z]:)|(?:\A|/)\.{0,2}(?:/|\Z)")
"""An absolute name, and a folder called nothing, `.` or `..`."""
_STRANGE = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")
"""What a name may not hold: some system takes it for something else, or a terminal obeys it."""
_ENTRY = b"PK\x01\x02"
"""How an entry of a zip's directory begins."""
_BUFFER = 1 << 20
_LARGEST = 1 << 63
_START = 1 << 12
"""Bytes that tell what a file is."""
_TAR_MARK = slice(257, 262)
_ENCRYPTED, _MARKED_UTF8 = 0x1, 0x800
_UNMARKED = ("utf-8", "gb2312")
"""Encodings of names that are not marked, before the one that the format says."""
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_FILE_TYPE, _REGULAR = 0o170000, {0, 0o100000}
DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    ValueError,
    OverflowError,
    RuntimeError,  # not implemented, or nested too deeply
)
"""What the libraries raise for archives that are cut off, damaged or lie about themselves."""


def is_archive(path: Path) -> bool:
    """Tell whether a file is a .zip, .tar or .tar.gz archive, by what it begins with and not by its name.

    Raises `StorageError` when it cannot be read.
    """
    return _kind(path) is not None


def members(
    path: Path, wanted: Callable[[str], object] = bool, *, largest: int | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each file in an archive whose name is wanted, in the order in which they lie there.

    Names have `/` between folders and never lead out of the archive. Nothing is yielded before all names have been
    looked at. Files of more than `largest` bytes are passed over, and never held whole. Raises `FormatError` with all
    that is wrong with the archive, or when it swells past the limits, and `StorageError` when it cannot be read.
    """
    kind = _kind(path)
    if kind is None:
        message = "it is no .zip, .tar or .tar.gz archive"
        raise FormatError(path, [Problem(rule="not-an-archive", message=message, advice="give one, or a folder")])
    for name, data in (_in_zip if kind == "zip" else _in_tar)(path, wanted, largest):
        if data is not None:
            yield name, data


@contextmanager
def unpacked(path: Path, wanted: Callable[[str], object] = bool) -> Iterator[Path]:
    """Give a temporary folder with the wanted files of an archive, removed at the end. Raises as `members` does."""
    with disk.temporary_folder() as folder:
        for member, data in members(path, wanted):
            disk.write_scratch(folder / member, data)
        yield folder


def _kind(path: Path) -> str | None:
    with disk.opened(path) as raw:
        start = raw.read(_START)
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if start.startswith(decompression.GZIP):
        with suppress(zlib.error):
            start = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(start, _START)
    return "tar" if start[_TAR_MARK] == b"ustar" else None


def _in_zip(path: Path, wanted: Callable[[str], object], largest: int | None) -> Iterator[tuple[str, bytes | None]]:
    with disk.opened(path) as raw:
        size = _directory_size(raw, path)
        with _told(path), zipfile.ZipFile(raw) as archive:
            names = _Names(path)
            for info in archive.infolist():
                names.add(_zip_name(info), folder=_is_folder(info), wrong=_wrong_in_zip(info))
            names.judge()
            meter = decompression.Meter(path, held=True)
            meter.count(0, size)
            for info in archive.infolist():
                name = _plain(_zip_name(info))
                if not _is_folder(info) and wanted(name):
                    with archive.open(info) as file:
                        yield name, _counted(file, meter, largest)


def _directory_size(raw: IO[bytes], path: Path) -> int:
    """Return the size of a zip file; refuse one of too many entries before the library makes an object of each."""
    size = entries = 0
    tail = b""
    while piece := raw.read(decompression.PIECE):
        entries += (tail + piece).count(_ENTRY)
        tail = piece[-len(_ENTRY) + 1 :]
        size += len(piece)
        if entries > 2 * LIMIT:
            raise FormatError(path, [_too_many()])
    raw.seek(0)
    return size


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Return the name of an entry.

    The format knows UTF-8, which an entry marks, and code page 437. What does not mark its names has others on many
    systems: UTF-8 all the same, or on a Chinese Windows GBK, of which GB 2312 is the part that no accented name looks
    like.
    """
    if info.flag_bits & _MARKED_UTF8 or info.filename.isascii():
        return info.filename
    for encoding in _UNMARKED:
        with suppress(UnicodeError):
            return info.filename.encode("cp437").decode(encoding)
    return info.filename


def _is_folder(info: zipfile.ZipInfo) -> bool:
    return info.filename.endswith("/")  # its own `is_dir` fails of an empty name until Python 3.12


def _wrong_in_zip(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if info.compress_type not in _METHODS:
        return f"is packed by method {info.compress_type} of zip; only 0 (stored) and 8 (deflated) are read"
    if not _is_folder(info) and info.external_attr >> 16 & _FILE_TYPE not in _REGULAR:
        return "is a link or a device"
    return ""


def _in_tar(path: Path, wanted: Callable[[str], object], largest: int | None) -> Iterator[tuple[str, bytes | None]]:
    """Go through a tar twice: it has no directory, and no file is given out before all names are known."""
    names = _Names(path)
    for info, _ in tar_entries(path, held=True):
        wrong = "" if info.isdir() or (info.isreg() and not info.issparse()) else "is a link, a device or sparse"
        names.add(info.name, folder=info.isdir(), wrong=wrong)
    names.judge()
    meter = decompression.Meter(path, held=True)
    meter.count(0, path.stat().st_size)
    for info, tar in tar_entries(path, held=True):
        if info.isreg() and wanted(_plain(info.name)):
            file = tar.extractfile(info)
            assert file is not None  # a regular file
            with _told(path):
                data = _counted(file, meter, largest)
            yield _plain(info.name), data


def tar_entries(path: Path, *, held: bool) -> Iterator[tuple[tarfile.TarInfo, tarfile.TarFile]]:
    """Yield the entries of a tar archive, plain or gzip, as they lie there, each with the archive to read it from.

    `held` tells whether all that is read is kept in memory (`decompression`). Raises `FormatError` for an archive that
    is cut off, damaged or swells past the limits.
    """
    with disk.opened(path) as raw:
        stream: Any = _Stream(decompression.pieces(raw, path, held=held))
        with _told(path), tarfile.open(fileobj=stream, mode="r|", bufsize=_BUFFER) as tar:
            while (info := tar.next()) is not None:
                if not 0 <= info.size < _LARGEST:
                    raise tarfile.ReadError("one of its headers tells a size that no file has")
                yield info, tar
                tar.members.clear()  # type: ignore[attr-defined]  # not in typeshed; tarfile keeps every member
            if any(stream.end()):  # the library takes an archive that is cut off between two files for a whole one
                raise tarfile.ReadError("its end mark is missing")


class _Stream:
    """Pieces as a file that is read from front to end."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""
        self._last = b""

    def read(self, size: int) -> bytes:
        """Return so many bytes, fewer at the end."""
        found = [self._rest]
        length = len(self._rest)
        while length < size and (piece := next(self._pieces, b"")):
            found.append(piece)
            length += len(piece)
        whole = b"".join(found)
        self._rest = whole[size:]
        self._last = (self._last + whole[:size])[-tarfile.BLOCKSIZE :]
        return whole[:size]

    def end(self) -> bytes:
        """Return the last block, which the mark of the end fills with zeros."""
        while self.read(decompression.PIECE):
            pass
        return self._last


def _counted(file: IO[bytes], meter: decompression.Meter, largest: int | None) -> bytes | None:
    """Return what a file holds; `None` where that is more than `largest` bytes."""
    found = io.BytesIO()
    while piece := file.read(decompression.PIECE):
        meter.count(len(piece))
        found.write(piece)
        if largest is not None and found.tell() > largest:
            return None
    return found.getvalue()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what the libraries raise for a broken archive into a `FormatError`."""
    try:
        yield
    except DAMAGE as error:
        problem = Problem(
            rule="archive-damaged",
            message=f"the archive cannot be read ({error})",
            advice="copy or download it again",
        )
        raise FormatError(path, [problem]) from error


def _too_many() -> Problem:
    advice = "give an archive of the files that are needed, or a folder"
    return Problem(rule="archive-entries", message=f"the archive has more than {LIMIT:,} entries", advice=advice)


class _Names:
    """The names in an archive, and what is wrong with them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: set[str] = set()
        self._findings = ProblemCollector()

    def add(self, name: str, *, folder: bool, wrong: str) -> None:
        """Take a name in. Raises `FormatError` when there are too many."""
        if len(self._seen) >= LIMIT:
            raise FormatError(self._path, [_too_many()])
        whole = _plain(name.rstrip("/") if folder else name)
        if folder and whole in {"", "."} and name:  # the root
            return
        if len(whole) > _LONGEST or _LEADS_OUT.search(whole) or _STRANGE.search(whole):
            self._say("archive-name", name, "is a name that leads out of the archive, or that not every system has")
        elif whole in self._seen and not folder:
            self._say("archive-repeated", name, "is there twice")
        elif wrong:
            self._say("archive-entry", name, wrong)
        self._seen.add(whole)

    def _say(self, rule: str, name: str, wrong: str) -> None:
        self._findings.add(Problem(rule=rule, message=f"{name[:80]!a} {wrong}", advice="pack plain files alone"))

    def judge(self) -> None:
        """Raise `FormatError` with all that is wrong."""
        if problems := self._findings.problems():
            raise FormatError(self._path, problems)


def _plain(name: str) -> str:
    """Return a name without the `./` that `tar` puts in front of it."""
    return name.removeprefix("./")
