"""What a team handed in, row by row, so that a problem can be shown where it stands: a file, or those of an archive."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core import archives
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LINE = re.compile(r"\bline (\d{1,9})")
_QUOTED = re.compile(r"'([^']{1,200})'")
_LARGEST = 16 << 20
"""Bytes of a file that is shown."""
_WIDEST = 600
"""Characters of a row that are shown."""
AROUND = 15
"""Rows before and after the one that is asked for."""


class FileRow(NamedTuple):
    """A line of a file, or an element of its JSON list."""

    number: int
    """From 1."""
    text: str


class RowPlace(NamedTuple):
    """Where a problem stands."""

    file: str
    """Its name in the archive; empty: what was handed in is one file."""
    row: int


class EntryRows:
    """The rows of what was handed in; of an archive those of each file, read when they are asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found: dict[str, list[str] | None] = {}
        self._names = _names_in(path)

    def rows(self, file: str) -> list[str] | None:
        """Return the rows of a file, with an empty name those of the only one; `None` where it cannot be shown."""
        if file not in self._found:
            self._found[file] = self._read(file)
        return self._found[file]

    def place(self, told: str) -> RowPlace | None:
        """Return the row that the place of a problem means; `None` where it means none."""
        file = ""
        if self._names is not None:
            mark, _, rest = told.partition(": ")
            fitting = [name for name in self._names if name == mark or name.endswith(f"/{mark}")]
            if len(fitting) != 1:
                return None
            file, told = fitting[0], rest or "line 1"
        rows = self.rows(file)
        at = row_of(told, rows) if rows is not None else None
        if at is None and file and rows:
            at = 1
        return RowPlace(file, at) if at is not None else None

    def _read(self, file: str) -> list[str] | None:
        if self._names is None:
            return rows_of(self._path.read_bytes()) if not file and self._path.stat().st_size <= _LARGEST else None
        if file not in self._names:
            return None
        try:
            return next((rows_of(data) for _, data in archives.members(self._path, lambda name: name == file)), None)
        except FormatError:  # it swells past the limits
            return None


def _names_in(path: Path) -> list[str] | None:
    """Return the names of the files in an archive; `None` for what is none, nothing for one that cannot be read."""
    if not archives.is_archive(path):
        return None
    names: list[str] = []

    def note(name: str) -> bool:
        names.append(name)
        return False

    try:
        list(archives.members(path, note))
    except FormatError:
        return []
    return names


def rows_of(data: bytes) -> list[str] | None:
    """Return the rows of a result file: the elements of a JSON list, else its lines; `None` for what is no text."""
    if data.startswith((b"PK", b"\x1f\x8b")) or len(data) > _LARGEST or b"\0" in data[:1024]:
        return None
    text = data.decode("utf-8", "replace")
    try:
        decoded: Any = json.loads(text)
    except (ValueError, RecursionError):
        decoded = None
    if isinstance(decoded, list) and text.count("\n") < len(decoded):
        return [json.dumps(one, ensure_ascii=False) for one in decoded]
    return text.splitlines()


def row_of(place: str, rows: Sequence[str]) -> int | None:
    """Return the number of the row that the place of a problem means: a line, or the first that has the id it names."""
    found = _LINE.search(place)
    if found is not None:
        return int(found[1]) if 1 <= int(found[1]) <= len(rows) else None
    for name in _QUOTED.findall(place):
        for number, row in enumerate(rows, start=1):
            if f'"{name}"' in row:
                return number
    return None


def rows_around(rows: Sequence[str], at: int) -> list[FileRow]:
    """Return the rows around one, cut where they are long."""
    first = max(at - AROUND, 1)
    shown = rows[first - 1 : at + AROUND]
    return [
        FileRow(number, row if len(row) <= _WIDEST else f"{row[:_WIDEST]} ...")
        for number, row in enumerate(shown, start=first)
    ]
