"""One collector per account: a second one leaves out what the first is reading, and pays for nothing twice.

The store is safe without this. The lock belongs to the process, so that a killed one leaves none behind.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FOLDER = ".locks"


@contextmanager
def held(folder: Path, account: str) -> Iterator[bool]:
    """Hold an account of a store folder; tells whether it could be held, or another process has it.

    Raises `StorageError` for what the disk refuses. Where the system knows no such locks everyone may go ahead.
    """
    if sys.platform == "win32":
        yield True
        return
    import fcntl

    path = folder / _FOLDER / account.lower()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("wb")
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
