"""Atomic and durable file access: reading, writing, packing.

Every reader and writer of the house goes through these: gzip is read directly, a file appears under
its name only when it is complete, and what the disk refuses becomes a `StorageError` in plain English.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import shutil
import stat
import struct
import sys
import tempfile
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn, Self

import msgspec

from duologue.core.binary_files import binary_file
from duologue.core.decompression import GZIP, PIECE, RULE, RULE_SAYS, pieces
from duologue.core.errors import FormatError, NoSpaceError, StorageError
from duologue.core.inputs import demand_named, demand_spared
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

_GZIP_HEADER = GZIP + b"\x08\x00\x00\x00\x00\x00\x02\xff"
"""Deflate, no flags, no time, packed as well as it can be, on an unknown system: RFC 1952, section 2.3."""
_LEVEL = 9

TEXT_RULES = {"gzip-damaged": "a packed file can be unpacked", RULE: RULE_SAYS, "not-utf8": "the text is UTF-8"}
"""Ids of the rules that every reader of text keeps (`read_bytes`, `decode_text`), and what each demands."""
BOM = "\ufeff"
BOM_FOUND = Problem(
    rule="byte-order-mark",
    severity="warning",
    place="byte 0",
    message="the file starts with a byte order mark, which the official programs take for text or refuse",
    advice="save it as UTF-8 without BOM",
)
SMALL = 2 << 20
"""Bytes of a file that is held."""
_FULL = {errno.ENOSPC, errno.EDQUOT}
_NUMBERED = re.compile(r"/dev/(std(?:in|out|err))|/(?:dev|proc/self)/fd/(\d+)")
"""Paths of files that are open already."""


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file, unpacked when it is gzip (told by its first bytes, not its name).

    Raises `StorageError` when there is no such file, it is a folder or may not be read, and `FormatError` when the
    gzip data is damaged or unpacks to more than the limit (`decompression`).
    """
    found = io.BytesIO()  # a list of pieces would take the memory twice when it is joined
    with opened(path) as raw:
        for piece in pieces(raw, path, held=True):
            found.write(piece)
    return found.getvalue()


class Source:
    """The unpacked bytes of a file, gone through piece by piece as often as needed.

    Up to `SMALL` bytes are held, and all of what can be read only once (a pipe); a larger file is read anew each
    time, so that memory does not grow with it. Raises `StorageError` when the file cannot be read, or has changed
    between two times, and `FormatError` when its gzip data is damaged or unpacks to more than the limit.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: tuple[bytes, ...] | None = None
        with opened(path) as raw:
            status = os.fstat(raw.fileno())
            self._state = _state_of(status)
            found: list[bytes] = []
            size = 0
            for piece in pieces(raw, path):
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
        with opened(self.path) as raw:
            if _state_of(os.fstat(raw.fileno())) != self._state:
                raise StorageError(f"{self.path} has changed while it was read; run the command again")
            yield from pieces(raw, self.path)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to be read in pieces; whatever the disk refuses on the way becomes a `StorageError`."""
    with guarded("read", path), path.open("rb") as raw:
        yield raw


@contextmanager
def guarded(verb: str, path: Path) -> Iterator[None]:
    """Turn what the disk refuses into a `StorageError` that says so: cannot `verb` `path`, and why."""
    _demand_name(verb, path)
    try:
        yield
    except OSError as error:
        _refuse(verb, path, error)


def _state_of(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def regular(path: Path) -> Path:
    """Return a path that was found in a folder, and is a file. Raises `StorageError` for a pipe, device or socket.

    Whoever names a pipe wants it read; one that lies in a folder would be waited for without end.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise StorageError(f"cannot read {path}: it is a pipe, device or socket; only files are read from a folder")
    return path


def resolved(path: Path) -> Path:
    """Return the absolute path without links; a circle of links stays as it is, where `Path.resolve` would raise."""
    return Path(os.path.realpath(path))


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
    known = binary_file(path, data) if not size else None
    if known is not None:
        raise FormatError(path, [known]) from error
    line = lines + data.count(b"\n", 0, error.start) + 1
    problem = Problem(
        rule="not-utf8",
        place=f"line {line}, byte {size + error.start}",
        message=f"found bytes {data[error.start : error.start + 4].hex(' ')}, which are not UTF-8",
        advice="save the file as UTF-8",
    )
    raise FormatError(path, [problem]) from error


def decode_json(text: str, path: Path, line: int | None = None) -> Any:
    """Return what the JSON text holds, with Python's reading of NaN and of duplicate keys (the last wins).

    Raises `FormatError` that names line and column; a text that is one line of a file comes with its number. msgspec
    reads three times as fast and says the same of all that it accepts; what it refuses (NaN, half surrogate pairs,
    mistakes) is for the standard library to judge.
    """
    with suppress(msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return msgspec.json.decode(text)
    unit = "line" if line else "file"
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = Problem(
            rule="not-json",
            place=f"line {line or error.lineno}, column {error.colno}",
            message=f"not valid JSON: {error.msg}; found {_excerpt(text, error.pos, unit)}",
            advice=_mending(error, unit),
        )
        raise FormatError(path, [problem]) from error
    except (RecursionError, ValueError) as error:  # nesting, or an integer of thousands of digits
        place = f"line {line}" if line else ""
        problem = Problem(rule="not-json", place=place, message=f"the JSON cannot be read: {error}")
        raise FormatError(path, [problem]) from error


def read_json(path: Path) -> tuple[Any, bytes, list[Problem]]:
    """Return the decoded JSON of a file, its unpacked bytes, and warnings."""
    data = read_bytes(path)
    text, warnings = decode_text(data, path)
    return decode_json(text, path), data, warnings


@contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a file to be written whole: it takes its name only when the block ends without an error.

    A name that ends in `.gz` is packed, without name and time stamp, so that equal content gives equal
    bytes. Missing parent folders are made; links are followed, and a file that is replaced leaves its permissions to
    the new one, but a `private` one is readable by its owner alone. Devices and pipes are written as the bytes come.
    Raises `StorageError` for what the disk refuses; then, and on Ctrl-C, the temporary file is removed and an older
    file of that name stays as it was. Raises `UsageError` for a file that the command reads, and `StorageError` for a
    pipe that it does not name.
    """
    _demand_name("write", path)
    if is_stream(path):
        with _sending(path) as out:
            yield out
        return
    demand_spared(path)
    try:
        goal = resolved(path) if path.is_symlink() else path
        goal.parent.mkdir(parents=True, exist_ok=True)
        if goal.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if goal.exists() and not os.access(goal, os.W_OK):  # a file that is protected stays
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        handle, name = tempfile.mkstemp(dir=goal.parent, prefix=f".{goal.name}.", suffix=".part")
    except OSError as error:
        _refuse("write", path, error)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as raw:
            with _packed(path, raw) as out:
                yield out
            raw.flush()
            os.fsync(raw.fileno())
        _take_over(temporary, goal)
        if private:
            temporary.chmod(0o600)
        temporary.replace(goal)
    except OSError as error:
        _remove(temporary)
        _refuse("write", path, error)
    except BaseException:
        _remove(temporary)
        raise


def is_stream(path: Path) -> bool:
    """Return whether a path is a device, a pipe or a socket: what is written there is sent and cannot be replaced.

    So is an open file by its number, such as `/dev/stdout`, whatever that leads to.
    """
    try:
        mode = path.stat().st_mode
    except OSError:  # not there, or not to be looked at: writing will tell
        return False
    return _open_number(path) is not None or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _open_number(path: Path) -> int | None:
    """Return the number of the open file that a path such as `/dev/fd/3` means; `None` for any other path."""
    found = _NUMBERED.fullmatch(os.path.abspath(path))  # noqa: PTH100  # `Path.resolve` follows links, which /dev/stdout is
    if found is None:
        return None
    return {"stdin": 0, "stdout": 1, "stderr": 2}.get(found[1]) if found[1] else int(found[2])


@contextmanager
def _sending(path: Path) -> Iterator[IO[bytes]]:
    """Open a device or a pipe; where nobody reads any more that is a `BrokenPipeError`, as on standard output."""
    number = _open_number(path)
    if number is None:
        demand_named(path)
    try:
        sys.stdout.flush()  # what was said before comes before
        with path.open("wb") if number is None else os.fdopen(os.dup(number), "wb") as raw, _packed(path, raw) as out:
            yield out
    except BrokenPipeError:
        raise
    except OSError as error:
        _refuse("write", path, error)


def _take_over(temporary: Path, goal: Path) -> None:
    """Give a new file the permissions, and as far as allowed the owner, of the one that it replaces."""
    try:
        old = goal.stat()
    except FileNotFoundError:
        temporary.chmod(0o666 & ~_umask())
        return
    with suppress(OSError):
        os.chown(temporary, old.st_uid, old.st_gid)
    temporary.chmod(stat.S_IMODE(old.st_mode))


@contextmanager
def _packed(path: Path, raw: IO[bytes]) -> Iterator[IO[bytes]]:
    """Yield a file that packs what is written to `raw`, or `raw` itself, as the name asks."""
    if path.suffix != ".gz":
        yield raw
        return
    packer = _Packer(raw)
    yield packer  # type: ignore[misc]  # a binary file in all but its declaration
    packer.finish()


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


def make_private(path: Path) -> None:
    """Make a file that only its owner may read, and its folder so where there is none; an older file becomes private.

    The log of a database that is beside it takes its mode over. Raises `OSError`.
    """
    if not path.parent.is_dir():
        path.parent.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):  # another process was faster
            path.parent.mkdir(mode=0o700)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600))
    with suppress(PermissionError):  # it belongs to somebody else, who shares it
        path.chmod(0o600)


def write_bytes(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a whole file at once, or leave the old one untouched; `private` as `replacing` says."""
    with replacing(path, private=private) as out:
        out.write(data)


def write_text(path: Path, text: str, *, private: bool = False) -> None:
    r"""Write UTF-8 text as a whole file at once, or leave the old one untouched; `private` as `replacing` says.

    Half surrogate pairs, which UTF-8 has no bytes for, are spelled out as JSON does: `\udcff`.
    """
    write_bytes(path, text.encode("utf-8", "backslashreplace"), private=private)


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


def _excerpt(text: str, position: int, unit: str) -> str:
    piece = text[position : position + 20]
    return repr(piece) if piece else f"the end of the {unit}" if text.strip() else f"an empty {unit}"


def _mending(error: json.JSONDecodeError, unit: str) -> str:
    """Return what to do about text that is no JSON."""
    end = len(error.doc.rstrip())
    if unit == "line" and not end:
        return "take the empty line out"
    if error.pos < end - 1 and not error.msg.startswith("Unterminated string"):
        return "mend or regenerate the file"
    return "was the line cut off?" if unit == "line" else "was the file cut off?"


def _demand_name(verb: str, path: Path) -> None:
    """Raise `StorageError` for a path that no system takes: files and settings can spell a NUL, arguments cannot."""
    if "\0" in str(path):
        raise StorageError(f"cannot {verb} {path}: no name of a file holds a NUL")


def _refuse(verb: str, path: Path, error: OSError) -> NoReturn:
    raise refusal(error, f"cannot {verb} {path}: {reason(error)}") from error


def refusal(error: BaseException, message: str) -> StorageError:
    """Return the error with a message that fits what the system, or a database, refused."""
    return (NoSpaceError if lacks_space(error) else StorageError)(message)


def lacks_space(error: BaseException) -> bool:
    """Tell whether an error is, or came of, a full disk or a used up quota."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, NoSpaceError) or (isinstance(seen, OSError) and seen.errno in _FULL):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


@contextmanager
def temporary_folder(*, beside: Path | None = None) -> Iterator[Path]:
    """Give an empty folder for files that nobody else needs, removed at the end; `beside` an output that it becomes.

    Raises `StorageError`, which says what to do, where no folder can be made.
    """
    folder, prefix = (None, "duologue-") if beside is None else (beside.parent, f".{beside.name}.")
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        made = tempfile.TemporaryDirectory(dir=folder, prefix=prefix, ignore_cleanup_errors=True)
    except OSError as error:
        if beside is not None:
            _refuse("write", beside, error)
        where, why = f" in {tempfile.tempdir}", reason(error)
        if tempfile.tempdir is None:  # Python has tried them all
            where, why = "", "none of the usual places can be written"
        message = f"cannot make a temporary folder{where}: {why}; set TMPDIR to a folder that can be written"
        raise refusal(error, message) from error
    with made as name:
        yield Path(name)


def write_scratch(path: Path, data: bytes) -> None:
    """Write a file of a temporary folder, and the folders that it lies in: at once, without forcing it to the disk."""
    with guarded("write", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def empty(folder: Path) -> None:
    """Remove what a temporary folder holds; what cannot be removed stays."""
    for one in folder.iterdir():
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one, ignore_errors=True)
        else:
            _remove(one)


def has_room(folder: Path, size: int) -> bool:
    """Tell whether a disk takes `size` more bytes in a folder, or half of all that it holds where that is less.

    They are reserved for a moment, since a quota leaves less than the system says to be free.
    """
    place = folder / ".room"
    try:
        wanted = min(size, shutil.disk_usage(folder).total // 2)
        with place.open("wb") as file:
            reserve = getattr(os, "posix_fallocate", None)
            if reserve is None:
                return shutil.disk_usage(folder).free >= wanted
            reserve(file.fileno(), 0, wanted)
    except OSError:
        return False
    finally:
        _remove(place)
    return True


def copy_file(source: str | Path, target: str | Path) -> None:
    """Copy a file into a folder that nobody reads yet; what the disk refuses is told of the one that it is."""
    goal = Path(target)
    try:
        with guarded("write", goal), goal.open("wb") as out:
            for piece in _as_it_is(Path(source)):
                out.write(piece)
    except BaseException:
        _remove(goal)
        raise


def _as_it_is(path: Path) -> Iterator[bytes]:
    with opened(path) as raw:
        while piece := raw.read(PIECE):
            yield piece


def discard(file: IO[bytes], path: Path) -> None:
    """Close and remove a file of which nothing is needed any more, not even what it could not write."""
    with suppress(OSError):
        file.close()
    _remove(path)


class GrowingFile:
    """A file to which pieces are added, each whole or not at all; what is added is the system's and in no buffer.

    Raises `StorageError` for what the disk refuses: then the file ends as it did before the piece, and whoever frees
    some space may add it again. Several processes may add to one file.
    """

    def __init__(self, path: Path) -> None:
        """Open a file, which is made where it is not there, with the folders that it lies in."""
        self.path = path
        with guarded("write", path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)

    def add(self, data: bytes) -> None:
        """Add a piece."""
        written = 0
        try:
            while written < len(data):
                written += self._file.write(memoryview(data)[written:])
        except BaseException as error:
            self._take_back(written)
            if isinstance(error, OSError):
                _refuse("write", self.path, error)
            raise

    def _take_back(self, written: int) -> None:
        if written:
            with suppress(OSError):  # a pipe is sent, and has no end
                end = self._file.tell()
                if os.fstat(self._file.fileno()).st_size == end:  # nobody has written behind it since
                    self._file.truncate(end - written)

    def cut(self, size: int, *, off: int) -> None:
        """Take so many bytes `off` the end of a file that still has the size that it was found to have."""
        with guarded("write", self.path):
            if off and os.fstat(self._file.fileno()).st_size == size:
                self._file.truncate(size - off)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def reason(error: OSError) -> str:
    """Return in plain English why the system refused something, and what helps where that is known."""
    reasons = {
        errno.ENOENT: "there is no such file or folder",
        errno.EEXIST: "a file, or a link that leads nowhere, stands where a folder is expected",
        errno.EISDIR: "it is a folder, a file is expected",
        errno.ENOTDIR: "a part of the path is a file, not a folder",
        errno.EACCES: "no permission",
        errno.EPERM: "no permission",
        errno.EROFS: "the disk is read-only",
        errno.EFBIG: "it would be larger than the disk or the limit for files (ulimit -f) allows",
        errno.EIO: "the disk fails (input or output error); look after it and run the command again",
        errno.ESTALE: "the network disk has lost it; run the command again",
        errno.EMFILE: "too many files are open; raise the limit (ulimit -n) and run the command again",
        errno.ENFILE: "too many files are open on this machine; run the command again later",
        errno.ENOSPC: "no space left on the disk; free some and run the command again",
        errno.EDQUOT: "the disk quota is used up; free some space and run the command again",
        errno.EBUSY: "it is in use, or a disk of its own; choose a folder in it",
        errno.EXDEV: "it is a disk of its own; choose a folder in it",
        errno.ENAMETOOLONG: "the name is too long",
        errno.ELOOP: "a link leads back to itself",
    }
    return reasons.get(error.errno or 0, error.strerror or str(error))
