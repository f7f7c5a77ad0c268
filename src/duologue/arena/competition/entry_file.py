"""What a team handed in, row by row, so that a problem can be shown where it stands: a file, or those of an archive."""

from __future__ import annotations

import json
import re
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core import archives
from duologue.core.errors import FormatError
from duologue.core.escapes import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

_LINE = re.compile(r"\bline (\d{1,9})")
_QUOTED = re.compile(r"'([^']{1,200})'")
_LARGEST = 16 << 20
"""Bytes of a file that is shown."""
_MAX_ELEMENTS = 200_000
"""Elements of a JSON list that are written anew, a row each; longer lists are shown as the lines that they are."""
_ENCODER = json.JSONEncoder(ensure_ascii=False)
_WIDEST = 600
"""Characters of a row that are shown."""
_ONE_AT_A_TIME = threading.Lock()
"""Held while a file is taken apart: one of `_LARGEST` bytes may take half a gigabyte, and teams may ask for many."""
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
        self._names = _names_in(path)

    def rows(self, file: str) -> list[str] | None:
        """Return the rows of a file, with an empty name those of the only one; `None` where it cannot be shown."""
        with _ONE_AT_A_TIME:
            return next((rows for _, rows in self._read({file})), None)

    def places(self, told: Sequence[str]) -> list[RowPlace | None]:
        """Return the row that the place of each problem means, `None` where it means none; each file is read once."""
        inside: dict[str, list[int]] = {}
        rests = []
        for number, place in enumerate(told):
            file, rest = self._file_of(place)
            rests.append(rest)
            if file is not None:
                inside.setdefault(file, []).append(number)
        found: list[RowPlace | None] = [None] * len(told)
        with _ONE_AT_A_TIME:
            for file, rows in self._read(inside):
                numbers, otherwise = inside[file], 1 if file and rows else None
                for number, at in zip(numbers, rows_of_places([rests[one] for one in numbers], rows), strict=True):
                    row = otherwise if at is None else at
                    found[number] = RowPlace(file, row) if row is not None else None
        return found

    def _file_of(self, place: str) -> tuple[str | None, str]:
        """Return the file that a place names, `None` where it names none, with what the place says of it."""
        if self._names is None:
            return "", place
        mark, _, rest = place.partition(": ")
        fitting = [name for name in self._names if name == mark or name.endswith(f"/{mark}")]
        return (fitting[0] if len(fitting) == 1 else None), rest or "line 1"

    def _read(self, files: Collection[str]) -> Iterator[tuple[str, list[str]]]:
        """Yield the rows of those of the files that can be shown."""
        try:
            for file, data in self._data(files):
                rows = rows_of(data)
                if rows is not None:
                    yield file, rows
        except FormatError:  # it swells past the limits
            return

    def _data(self, files: Collection[str]) -> Iterator[tuple[str, bytes]]:
        if self._names is not None:
            yield from archives.members(self._path, files.__contains__, largest=_LARGEST)
        elif "" in files and self._path.stat().st_size <= _LARGEST:
            yield "", self._path.read_bytes()


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
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    try:
        decoded: Any = json.loads(text)
        if isinstance(decoded, list) and len(lines) <= len(decoded) <= _MAX_ELEMENTS:
            return [printable(_ENCODER.encode(one)) for one in decoded]
    except (ValueError, RecursionError):  # no JSON, or nested too deeply
        pass
    return lines


def rows_of_places(places: Sequence[str], rows: Sequence[str]) -> list[int | None]:
    """Return the number of the row that each place means: a line, or the first row that has an id it names.

    All rows are looked through once, however many places there are.
    """
    wanted = {name for place in places for name in _QUOTED.findall(place)}
    first: dict[str, int] = {}
    for number, row in enumerate(rows if wanted else (), start=1):
        if '"' in row:
            for word in row.split('"')[1:-1]:  # what stands between two quotation marks
                if word in wanted:
                    first.setdefault(word, number)
    return [_row_of(place, first, len(rows)) for place in places]


def _row_of(place: str, first: dict[str, int], rows: int) -> int | None:
    found = _LINE.search(place)
    if found is not None:
        return int(found[1]) if 1 <= int(found[1]) <= rows else None
    return next((first[name] for name in _QUOTED.findall(place) if name in first), None)


def rows_around(rows: Sequence[str], at: int) -> list[FileRow]:
    """Return the rows around one, cut where they are long."""
    first = max(at - AROUND, 1)
    shown = rows[first - 1 : at + AROUND]
    return [
        FileRow(number, row if len(row) <= _WIDEST else f"{row[:_WIDEST]} ...")
        for number, row in enumerate(shown, start=first)
    ]
