from __future__ import annotations

from pathlib import Path

import pytest

from duologue.core.packed_documents import packed_document

ZIP = b"PK\x03\x04..."


@pytest.mark.parametrize(
    ("name", "told", "advice"),
    [
        ("calls.zip", "it is a zip archive", "unpack it"),
        ("calls.XLSX", "it is a workbook of a spreadsheet", "a table as CSV"),
        ("calls.docx", "it is a document of a word processor", "as text in UTF-8"),
    ],
)
def test_an_archive_is_told_by_its_name(name: str, told: str, advice: str) -> None:
    problem = packed_document(Path(name), ZIP)
    assert problem is not None
    assert (problem.rule, problem.message) == ("not-utf8", told)
    assert advice in problem.advice


def test_other_bytes_are_no_archive_whatever_the_name() -> None:
    assert packed_document(Path("calls.xlsx"), b"\xff\xfe") is None
