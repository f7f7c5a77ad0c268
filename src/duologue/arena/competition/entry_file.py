"""What a team handed in, row by row, so that a problem can be shown where it stands."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def rows_of(data: bytes) -> list[str] | None:
    """Return the rows of a result file: the elements of a JSON list, else its lines; `None` for an archive."""
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
