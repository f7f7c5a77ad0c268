"""Write locks on outputs: a second process is refused and told who holds the lock.

The lock belongs to the process (`flock`), so that a killed one leaves none behind, only a file that the next takes
over. Where the system or the disk knows no such locks everyone may go ahead, as if there were none.
"""

from __future__ import annotations

import errno
import os
import shlex
import sys
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.core.disk import is_stream, resolved
from duologue.core.errors import BusyError
from duologue.core.escapes import one_line
from duologue.core.records import Record
from duologue.core.typed import decode_json

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER_LOCK = ".duologue.lock"
"""The file in an output folder that is locked while somebody writes there."""

_ATTEMPTS = 1000
"""How often a lock file may vanish under us."""
_LONGEST = 200
"""Characters of a command that are told: it may name thousands of files."""
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL}
"""What `flock` says on disks that know no locks."""


class _Holder(Record, frozen=True, kw_only=True):
    pid: int
    command: str
    since: str


class LockState(NamedTuple):
    """What came of asking for a lock."""

    free: bool
    """Whether nobody else has it."""
    holder: str = ""
    """Who has it, in words."""


@contextmanager
def writing_folder(folder: Path) -> Iterator[None]:
    """Be the only one who writes into an output folder. Raises `BusyError` where another process does."""
    with held(folder / FOLDER_LOCK) as hold:
        _demand(hold, folder)
        yield


@contextmanager
def writing_file(path: Path) -> Iterator[None]:
    """Be the only one who makes an output file. Raises `BusyError` where another process does.

    Devices and pipes take what many send.
    """
    if is_stream(path):
        yield
        return
    place = path if path.name else resolved(path)  # `.` and `/` have no name
    with held(place.with_name(f".{place.name}.lock") if place.name else place / FOLDER_LOCK) as hold:
        _demand(hold, path)
        yield


def _demand(hold: LockState, output: Path) -> None:
    if not hold.free:
        raise BusyError(
            f"{output} is being written by {hold.holder}; wait until it has ended, stop it, or choose another --out"
        )


@contextmanager
def held(path: Path) -> Iterator[LockState]:
    """Hold the lock file `path` for the block, if nobody else has it; missing folders are made.

    The file goes in the end, and with it the folders that were made and hold nothing. Where the disk refuses the file,
    nothing is locked: whoever writes there is told why.
    """
    if sys.platform == "win32":
        yield LockState(free=True)
        return
    made = [folder for folder in path.parents if not folder.exists()]
    handle, hold = _take(path)
    try:
        yield hold
    finally:
        if handle is not None:
            if hold.free:
                with suppress(OSError):
                    path.unlink()  # before the lock is gone: who waits for this very file finds it is no more
            os.close(handle)
        for folder in made:
            with suppress(OSError):
                folder.rmdir()


def _take(path: Path) -> tuple[int | None, LockState]:
    """Return the open lock file, and whether it is ours; no file where there are no locks."""
    import fcntl

    seen = False
    for _ in range(_ATTEMPTS):
        try:
            handle = _opened(path)
        except (FileNotFoundError, FileExistsError):  # its folder was removed by a holder that has ended, or there
            continue  # can be none: below a file, a link to nowhere, a folder that is gone
        except OSError:
            return None, LockState(free=True)
        seen = True
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return handle, LockState(free=False, holder=_told(handle))
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return handle, LockState(free=True)
            os.close(handle)
            raise
        if _stands(path, handle):
            _sign(handle)
            return handle, LockState(free=True)
        os.close(handle)  # its last holder has removed it: lock the one that stands there now
    return None, LockState(free=not seen, holder="other processes, one after the other" if seen else "")


def _opened(path: Path) -> int:
    """Open a lock file, made where it is not there; one of another user can be locked, too."""
    how = os.O_CLOEXEC | os.O_NOFOLLOW
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | how, 0o644)
    except PermissionError:
        return os.open(path, os.O_RDONLY | how)


def _stands(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def _sign(handle: int) -> None:
    """Write into the lock file who holds it; a full disk is no reason not to go on."""
    command = one_line(shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]))  # a path may be no UTF-8
    command = command if len(command) <= _LONGEST else f"{command[:_LONGEST]}…"
    since = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.pwrite(handle, msgspec.json.encode(_Holder(pid=os.getpid(), command=command, since=since)), 0)


def _told(handle: int) -> str:
    with suppress(OSError, msgspec.DecodeError):
        holder = decode_json(os.pread(handle, 1 << 16, 0), _Holder)
        return f"another process (number {holder.pid}, `{holder.command}`, since {holder.since})"
    return "another process"
