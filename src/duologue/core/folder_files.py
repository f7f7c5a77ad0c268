"""The files of a folder: all of one of a size that somebody can have meant, and those that a stranger's file names."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from duologue.core.disk import resolved
from duologue.core.errors import StorageError

MAX_ENTRIES = 100_000
"""Files and folders below a folder that is given where results, data or a model are expected."""


def all_files(folder: Path, limit: int = MAX_ENTRIES) -> list[Path]:
    """Return all that lies below a folder and is no folder, hidden ones too, sorted; links are not followed.

    Raises `StorageError` beyond `limit` files and folders: `/` or a home folder was given, which nobody waits for.
    """
    found, gone_through = [], 0
    for place, folders, names in os.walk(folder):
        gone_through += len(names) + len(folders)
        if gone_through > limit:
            raise StorageError(
                f"{folder} holds more than {limit:,} files and folders, far more than are expected in it; "
                f"give the folder that holds what is meant, and little else"
            )
        found += [Path(place, name) for name in names]
    return sorted(found)


def lies_below(path: Path, folder: Path) -> bool:
    r"""Tell whether a path leads below a folder, links followed; a name that no file can have leads nowhere.

    >>> lies_below(Path("a/b"), Path("a")), lies_below(Path("a/../b"), Path("a")), lies_below(Path("a/\0"), Path("a"))
    (True, False, False)
    """
    try:
        return resolved(path).is_relative_to(resolved(folder))
    except (OSError, ValueError):  # too long, a NUL, half a character
        return False


def is_file_below(path: Path, folder: Path) -> bool:
    """Tell whether a path is a regular file that lies below a folder: no link, device or pipe leads elsewhere."""
    try:
        real = path.resolve(strict=True)
        return stat.S_ISREG(real.stat().st_mode) and lies_below(real, folder)
    except (OSError, RuntimeError, ValueError):  # not there, a ring of links, a name that cannot be
        return False
