"""Locates the files that a saved report names, only where the user looks for them.

A stored path is never opened as it stands. Looked for are its last parts (`a/b/c.json`, `b/c.json`, `c.json`) below
the report's own folder, below the folders that the user names, and below the current folder; what counts is a regular
file that lies there by its real path and has the stored hash. No program is ever taken from a report.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.core.disk import Source
from duologue.core.errors import FormatError
from duologue.core.folder_files import MAX_ENTRIES, is_file_below
from duologue.core.lines import sha256
from duologue.core.records import Problem, Record
from duologue.core.typed import convert

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.records import Report

_DEEPEST = 64
"""Parts of a stored path that are looked at, from its end."""


class StoredFile(Record, frozen=True, kw_only=True):
    """A file as a report names it."""

    path: str
    """Where it was when it was scored; never opened as it stands."""
    sha256: str
    """Hash of its unpacked bytes, in hexadecimal."""
    option: str = ""
    """Name of the scoring option whose value it was; empty for truth, data and result files."""


class StoredFiles(Record, frozen=True, kw_only=True):
    """What a report was made from: `Report.meta["files"]`."""

    gold: tuple[StoredFile, ...] = ()
    input: tuple[StoredFile, ...] = ()
    """The data file, at most one."""
    pred: tuple[StoredFile, ...] = ()
    """The result file, exactly one."""
    options: tuple[StoredFile, ...] = ()
    """Files that scoring options named, such as a table of word vectors."""
    programs: tuple[StoredFile, ...] = ()
    """Programs that counted for it, such as METEOR's: to be compared, never to be run."""


class Located(NamedTuple):
    """Where a stored file is now."""

    path: Path | None
    """A file with the stored hash; `None` where there is none."""
    changed: tuple[Path, str] | None = None
    """A file of that name which holds something else, and its hash."""


def files_of(report: Report, path: object) -> StoredFiles | None:
    """Return the files that a report names; `None` for one that names none (made before they were kept).

    `path` is what messages call the report. Raises `FormatError` for a list of files that is damaged.
    """
    told = report.meta.get("files")
    if not told:
        return None
    try:
        files = convert(told, StoredFiles)
    except msgspec.ValidationError as error:
        raise _damaged(path, f"the files that it was made from cannot be told: {error}") from error
    if len(files.pred) != 1 or len(files.input) > 1:
        raise _damaged(
            path, f"it names {len(files.pred)} result files and {len(files.input)} data files; one is scored"
        )
    return files


def stored(path: Path, option: str = "") -> dict[str, str]:
    """Return what a report keeps of a file, with its hash. Raises as `Source` does."""
    made = {"path": str(path), "sha256": sha256(Source(path))}
    return {**made, "option": option} if option else made


def locate(one: StoredFile, beside: Path | None, folders: Sequence[Path] = ()) -> Located:
    """Return where a stored file is now: below the report's folder, the folders named, or the current folder.

    `beside` is the report's own file. A file with the stored hash is preferred wherever it stands.
    """
    changed: tuple[Path, str] | None = None
    for path in _candidates(one.path, beside, folders):
        found = sha256(Source(path))
        if found == one.sha256:
            return Located(path, None)
        changed = changed or (path, found)
    return Located(None, changed)


def _candidates(named: str, beside: Path | None, folders: Sequence[Path]) -> Iterator[Path]:
    parts = _parts(named)
    if not parts:
        return
    seen: set[Path] = set()
    roots = [*([] if beside is None else [beside.parent]), *folders, Path()]
    for root in roots:
        for start in range(len(parts)):
            path = root.joinpath(*parts[start:])
            if path not in seen and is_file_below(path, root):
                seen.add(path)
                yield path
    for root in folders:
        for path in _named_below(root, parts[-1]):
            if path not in seen and is_file_below(path, root):
                seen.add(path)
                yield path


def _parts(named: str) -> tuple[str, ...]:
    """Return the last parts of a stored path, of any system, without root, drive and steps upwards."""
    if "\0" in named:
        return ()
    pure = PureWindowsPath(named) if "\\" in named else PurePosixPath(named)
    parts = [part for part in pure.parts if part != pure.anchor]
    above = max((place for place, part in enumerate(parts, start=1) if part == ".."), default=0)
    return tuple(parts[above:][-_DEEPEST:])


def _named_below(root: Path, name: str) -> Iterator[Path]:
    gone_through = 0
    for folder, inner, files in os.walk(root):
        inner.sort()
        gone_through += len(files) + len(inner)
        if name in files:
            yield Path(folder, name)
        if gone_through > MAX_ENTRIES:
            return


def _damaged(path: object, message: str) -> FormatError:
    return FormatError(path, [Problem(rule="report-files", place="/meta/files", message=message, advice=_ADVICE)])


_ADVICE = "score the files again with --out"


def told(one: StoredFile, found: Located) -> str:
    """Return why a stored file is not to be had, in words."""
    if found.changed is not None:
        path, here = found.changed
        return f"{path}: the file has changed: stored hash {one.sha256[:12]}, found {here[:12]}"
    return (
        f"{one.path}: no such file beside the report or below the folders that were named; "
        "say where it is with --in FOLDER"
    )
