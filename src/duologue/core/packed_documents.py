"""Documents that are packed as zip archives: what somebody gave in the place of a text, and what to do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.records import Problem

if TYPE_CHECKING:
    from pathlib import Path

_ZIP = b"PK\x03\x04"
_SPREADSHEET, _LETTER = "workbook of a spreadsheet", "document of a word processor"
_OFFICE = {".xlsx": _SPREADSHEET, ".xlsm": _SPREADSHEET, ".ods": _SPREADSHEET, ".docx": _LETTER, ".odt": _LETTER}
"""What zip archives are whose names end so."""


def packed_document(path: Path, data: bytes) -> Problem | None:
    """Return the problem of a file that is an archive by its first bytes; `None` for one that is none."""
    if not data.startswith(_ZIP):
        return None
    office = _OFFICE.get(path.suffix.lower())
    if office is None:
        advice = "unpack it, and give the file in it"
    else:
        advice = "save it from there as text in UTF-8, a table as CSV"
    return Problem(rule="not-utf8", message=f"it is a {office or 'zip archive'}", advice=advice)
