"""Files that are no text by their first bytes: what somebody gave in the place of one, and what to do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.records import Problem

if TYPE_CHECKING:
    from pathlib import Path

_ZIP = b"PK\x03\x04"
_SPREADSHEET, _LETTER = "workbook of a spreadsheet", "document of a word processor"
_OFFICE = {".xlsx": _SPREADSHEET, ".xlsm": _SPREADSHEET, ".ods": _SPREADSHEET, ".docx": _LETTER, ".odt": _LETTER}
"""What zip archives are whose names end so."""
_EXPECTED = "expected text in UTF-8"
_UNPACK = "unpack it, and give the file in it"
_SAVE = "save it from there as text in UTF-8, a table as CSV"
_KINDS = {
    b"SQLite format 3\x00": ("an SQLite database", "give the text that it was made from"),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("a document or workbook of an older office program", _SAVE),
    b"%PDF-": ("a PDF", "give the text that it was made from"),
    b"PAR1": ("a Parquet table", "save its rows as JSON lines or CSV in UTF-8"),
    b"\x89PNG\r\n": ("a PNG picture", "give a text file"),
    b"\xff\xd8\xff": ("a JPEG picture", "give a text file"),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", _UNPACK),
    b"\xfd7zXZ\x00": ("packed with xz", _UNPACK),
    b"Rar!\x1a\x07": ("a RAR archive", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("packed with zstd", _UNPACK),
}
"""What a file is by its first bytes, and what to do."""


def is_office_name(path: Path) -> bool:
    """Tell whether a file that is a zip archive is a document or workbook by its name."""
    return path.suffix.lower() in _OFFICE


def binary_file(path: Path, data: bytes) -> Problem | None:
    """Return the problem of a file that is no text by its first bytes; `None` where they tell of nothing."""
    if data.startswith(_ZIP):
        office = _OFFICE.get(path.suffix.lower())
        kind, advice = (f"a {office}", _SAVE) if office else ("a zip archive", _UNPACK)
    else:
        known = next((told for start, told in _KINDS.items() if data.startswith(start)), None)
        if known is None:
            return None
        kind, advice = known
    return Problem(rule="not-utf8", message=f"it is {kind}; {_EXPECTED}", advice=advice)
