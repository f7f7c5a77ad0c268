"""Files that a command writes into a folder: those that it wrote before are replaced, those of anybody else are kept.

A note in the folder has the hash of each file that a command of ours wrote there. What the note does not know, or knows
otherwise, is somebody's work.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from duologue.core import disk
from duologue.core.errors import FormatError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

NOTE = ".duologue.written"
"""The note in a folder; its name has no ending that a reader of data looks for."""
_BEGUN = ""
"""Instead of a hash: the file is being written, and whatever a killed run left of it is ours."""
_SHOWN = 3
_OF_FILE_MANAGERS = {".DS_Store", "Thumbs.db", "desktop.ini"}
"""What looking at a folder leaves in it: nobody's work."""


@contextmanager
def own_files(folder: Path, planned: Iterable[Path]) -> Iterator[None]:
    """Let the block write files below a folder, and note them as ours.

    Raises `UsageError`, before the block, where one of them is there and is not as a command of ours wrote it.
    """
    names = [path.relative_to(folder).as_posix() for path in planned]
    noted = _noted(folder)
    demand_ours(folder, [name for name in names if not _is_ours(folder, name, noted)])
    _write(folder, {**noted, **dict.fromkeys(names, _BEGUN)})
    try:
        yield
    finally:
        note_files(folder, names)


def note_files(folder: Path, names: Iterable[str]) -> None:
    """Note files below a folder as ours, as they are now; those that are not there are forgotten."""
    noted = {**_noted(folder), **dict.fromkeys(names, _BEGUN)}
    found = {name: hash_of(folder / name) if noted[name] == _BEGUN else noted[name] for name in noted
             if (folder / name).is_file()}  # fmt: skip
    if found:
        _write(folder, found)
    else:
        (folder / NOTE).unlink(missing_ok=True)


def strangers(folder: Path) -> list[str] | None:
    """Return the files in a folder that its note does not know so; `None` where there is no note."""
    noted = _noted(folder)
    if not (folder / NOTE).is_file():
        return None
    return [name for name in files_below(folder) if not _is_ours(folder, name, noted)]


def files_below(folder: Path) -> list[str]:
    """Return the names of all files below a folder but its note and what file managers leave; no link is followed."""
    found = (
        path
        for path in folder.rglob("*")
        if path.name not in _OF_FILE_MANAGERS and (path.is_symlink() or not path.is_dir())
    )
    return sorted(name for path in found if (name := path.relative_to(folder).as_posix()) != NOTE)


def demand_ours(folder: Path, names: list[str]) -> None:
    """Raise `UsageError` where there are names of files that no command of ours wrote so."""
    if names:
        raise UsageError(
            f"{folder} holds files that duologue did not write, or not so ({shown(names)}); choose another folder, or "
            f"move them away"
        )


def shown(names: list[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def hash_of(path: Path) -> str:
    """Return the SHA-256 of a file as it lies on the disk; one that has not changed since is not read again."""
    state = path.stat()
    return _hash(path, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


@lru_cache(maxsize=4096)
def _hash(path: Path, *_state: int) -> str:
    with disk.guarded("read", path), disk.regular(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_ours(folder: Path, name: str, noted: dict[str, str]) -> bool:
    """Tell whether a file may be replaced: it is not there, holds nothing, or is as it is noted."""
    path = folder / name
    if not path.is_file() or not path.stat().st_size:
        return True
    return name in noted and noted[name] in {_BEGUN, hash_of(path)}


def _noted(folder: Path) -> dict[str, str]:
    path = folder / NOTE
    if not path.is_file():
        return {}
    try:
        found = disk.read_json(path)[0]
    except FormatError:  # damaged: it vouches for nothing
        return {}
    listed = found.get("files") if isinstance(found, dict) else None
    return listed if isinstance(listed, dict) and all(isinstance(one, str) for one in listed.values()) else {}


def _write(folder: Path, files: dict[str, str]) -> None:
    table = {"about": "files that duologue wrote here, with their SHA-256", "files": dict(sorted(files.items()))}
    disk.write_text(folder / NOTE, json.dumps(table, indent=1) + "\n")
