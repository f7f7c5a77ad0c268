"""Input files of a command: none of them is overwritten, under any name.

The command line tells of each file that it is given to read; `disk.replacing`, through which all files are written,
asks here. So what a command writes beside its output, such as the JSON of a page, spares them as the output itself.
"""

from __future__ import annotations

import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from duologue.core.errors import UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

_READ: list[dict[tuple[int, int], Path]] = []
"""By command, the innermost last, what it reads: device and number of each file, and the path it was given by."""


@contextmanager
def sparing_inputs() -> Iterator[None]:
    """Keep in mind what is told to `read` while the block runs, and forget it then."""
    _READ.append({})
    try:
        yield
    finally:
        _READ.pop()


def read(path: Path) -> None:
    """Tell that a command reads a path; whatever is no file, such as a terminal, is nothing to be spared."""
    found = _file(path)
    if found is not None and _READ:
        _READ[-1].setdefault((found.st_dev, found.st_ino), path)


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
    try:
        status = path.stat()
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None
