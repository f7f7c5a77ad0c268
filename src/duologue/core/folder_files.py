"""The files of a folder, however deep they lie, of a folder of a size that somebody can have meant."""

from __future__ import annotations

import os
from pathlib import Path

from duologue.core.errors import StorageError

MOST_ENTRIES = 100_000
"""Files and folders below a folder that is given where results, data or a model are expected."""


def all_files(folder: Path, limit: int = MOST_ENTRIES) -> list[Path]:
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
