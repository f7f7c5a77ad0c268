"""The paths that a command was given: no file that it reads is overwritten; only pipes that it names are waited for.

The command line tells of each path that it is given; `disk.replacing`, through which all files are written, asks here.
So what a command writes beside its output, such as the JSON of a page, spares its inputs as the output itself.
"""

from __future__ import annotations

import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from duologue.core.errors import StorageError, UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

_READ: list[dict[tuple[int, int], Path]] = []
"""By command, the innermost last, what it reads: device and number of each file, and the path it was given by."""
_NAMED: list[set[tuple[int, int]]] = []
"""By command, device and number of each pipe that it was told to write."""


@contextmanager
def sparing_inputs() -> Iterator[None]:
    """Keep in mind what is told to `read` and `written` while the block runs, and forget it then."""
    _READ.append({})
    _NAMED.append(set())
    try:
        yield
    finally:
        _READ.pop()
        _NAMED.pop()


def read(path: Path) -> None:
    """Tell that a command reads a path; whatever is no file, such as a terminal, is nothing to be spared."""
    found = _file(path)
    if found is not None and _READ:
        _READ[-1].setdefault((found.st_dev, found.st_ino), path)


def written(path: Path) -> None:
    """Tell that a command was given a path to write; of these only pipes matter."""
    found = _status(path)
    if found is not None and stat.S_ISFIFO(found.st_mode) and _NAMED:
        _NAMED[-1].add((found.st_dev, found.st_ino))


def demand_named(path: Path) -> None:
    """Raise `StorageError` where `path` is a pipe that no path of the command is.

    Whoever names a pipe reads it; one that lies in a folder that is written to would be waited for without end.
    """
    found = _status(path) if _NAMED else None
    if found is None or not stat.S_ISFIFO(found.st_mode):
        return
    if not any((found.st_dev, found.st_ino) in one for one in _NAMED):
        raise StorageError(f"cannot write {path}: it is a pipe; remove it, so that a file can have its name")


def demand_spared(path: Path) -> None:
    """Raise `UsageError` where `path` is a file that is read: by its path, a link, or another name on the disk."""
    found = _file(path) if _READ else None
    if found is None:
        return
    same = next((one[found.st_dev, found.st_ino] for one in _READ if (found.st_dev, found.st_ino) in one), None)
    if same is not None:
        raise UsageError(
            f"{path} would be written over, but it is the file {same}, which is read; choose another --out"
        )


def _file(path: Path) -> os.stat_result | None:
    """Return what the disk says of a file; `None` for what is not there, or is none."""
    status = _status(path)
    return status if status is not None and stat.S_ISREG(status.st_mode) else None


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
