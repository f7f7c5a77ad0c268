from __future__ import annotations

from pathlib import Path

import pytest

from duologue.core.binary_files import binary_file

ZIP = b"PK\x03\x04..."


@pytest.mark.parametrize(
    ("name", "data", "told", "advice"),
    [
        ("calls.zip", ZIP, "it is a zip archive", "unpack it"),
        ("calls.XLSX", ZIP, "it is a workbook of a spreadsheet", "a table as CSV"),
        ("calls.docx", ZIP, "it is a document of a word processor", "as text in UTF-8"),
        ("kg.json", b"SQLite format 3\0\x10\x00", "it is an SQLite database", "made from"),
        ("calls.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "older office program", "a table as CSV"),
        ("calls.json.xz", b"\xfd7zXZ\0\0", "it is packed with xz", "unpack it"),
    ],
)
def test_a_file_is_told_by_its_first_bytes_and_a_document_by_its_name(
    name: str, data: bytes, told: str, advice: str
) -> None:
    problem = binary_file(Path(name), data)
    assert problem is not None
    assert problem.rule == "not-utf8"
    assert told in problem.message
    assert problem.message.endswith("; expected text in UTF-8")
    assert advice in problem.advice


@pytest.mark.parametrize("data", [b"", b"\xff\xff", b"[]", "[]".encode("utf-16"), b"SQLite"])
def test_of_other_bytes_nothing_is_known_whatever_the_name(data: bytes) -> None:
    assert binary_file(Path("calls.xlsx"), data) is None
