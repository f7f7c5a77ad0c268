"""Problems are shown where they stand, in a file and in a file of an archive."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from duologue.arena.competition.entry_file import EntryRows, RowPlace, rows_around, rows_of

if TYPE_CHECKING:
    from pathlib import Path

LISTED = json.dumps([{"id": "a"}, {"id": "b"}]).encode()
LINES = b"first\nsecond\nthird\n"
FILES = {"team/tst1/one.json": LISTED, "team/tst1/lines.txt": LINES, "team/tst2/one.json": LISTED}


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, data in FILES.items():
            made.writestr(name, data)
    return out.getvalue()


def tarred() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as made:
        for name, data in FILES.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            made.addfile(info, io.BytesIO(data))
    return out.getvalue()


def test_of_a_file_the_line_or_the_row_with_the_id(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(LISTED)
    found = EntryRows(path)
    assert found.place("dialogue 'b'") == RowPlace("", 2)
    assert found.place("line 1") == RowPlace("", 1)
    assert found.place("dialogue 'c'") is None
    assert found.rows("elsewhere") is None


@pytest.mark.parametrize("data", [zipped(), tarred()])
def test_of_an_archive_the_file_too(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    found = EntryRows(path)
    assert found.place("tst1/one.json: dialogue 'b'") == RowPlace("team/tst1/one.json", 2)
    assert found.place("tst1/lines.txt: line 3") == RowPlace("team/tst1/lines.txt", 3)
    assert found.place("tst2/one.json") == RowPlace("team/tst2/one.json", 1)
    assert found.place("one.json: line 1") is None, "which of the two is not told"
    assert found.place("tst1") is None
    assert found.rows("team/tst1/lines.txt") == ["first", "second", "third"]
    assert found.rows("../../etc/passwd") is None


def test_what_cannot_be_shown_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(zipped()[:60])
    assert EntryRows(path).place("tst1/one.json: line 1") is None
    path.write_bytes(b"\x00\x01binary")
    assert EntryRows(path).place("line 1") is None
    assert rows_of(b"PK\x03\x04") is None
    assert [one.number for one in rows_around([str(n) for n in range(100)], 50)] == list(range(35, 66))
    assert rows_around(["x" * 5000], 1)[0].text.endswith(" ...")
