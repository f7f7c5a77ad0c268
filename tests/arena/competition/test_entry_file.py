"""Problems are shown where they stand, in a file and in a file of an archive."""

from __future__ import annotations

import io
import json
import random
import tarfile
import tracemalloc
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from duologue.arena.competition.entry_file import EntryRows, RowPlace, rows_around, rows_of, rows_of_places
from duologue.core import archives

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
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


def place(rows: EntryRows, told: str) -> RowPlace | None:
    (found,) = rows.places([told])
    return found


def test_of_a_file_the_line_or_the_row_with_the_id(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(LISTED)
    found = EntryRows(path)
    assert place(found, "dialogue 'b'") == RowPlace("", 2)
    assert place(found, "line 1") == RowPlace("", 1)
    assert place(found, "dialogue 'c'") is None
    assert found.rows("elsewhere") is None


@pytest.mark.parametrize("data", [zipped(), tarred()])
def test_of_an_archive_the_file_too(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    found = EntryRows(path)
    assert place(found, "tst1/one.json: dialogue 'b'") == RowPlace("team/tst1/one.json", 2)
    assert place(found, "tst1/lines.txt: line 3") == RowPlace("team/tst1/lines.txt", 3)
    assert place(found, "tst2/one.json") == RowPlace("team/tst2/one.json", 1)
    assert place(found, "one.json: line 1") is None, "which of the two is not told"
    assert place(found, "tst1") is None
    assert found.rows("team/tst1/lines.txt") == ["first", "second", "third"]
    assert found.rows("../../etc/passwd") is None


def test_what_cannot_be_shown_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(zipped()[:60])
    assert place(EntryRows(path), "tst1/one.json: line 1") is None
    path.write_bytes(b"\x00\x01binary")
    assert place(EntryRows(path), "line 1") is None
    assert rows_of(b"PK\x03\x04") is None
    assert [one.number for one in rows_around([str(n) for n in range(100)], 50)] == list(range(35, 66))
    assert rows_around(["x" * 5000], 1)[0].text.endswith(" ...")


def test_many_problems_in_many_files_are_placed_in_one_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, count = tmp_path / "x", 60
    with zipfile.ZipFile(path, "w") as made:
        for number in range(count):
            made.writestr(f"{number}.json", json.dumps([{"id": f"{number}-{one}"} for one in range(9)]))
    reads = []
    members = archives.members

    def counted(path: Path, wanted: Callable[[str], object], **options: Any) -> Iterator[tuple[str, bytes]]:
        reads.append(path)
        return members(path, wanted, **options)

    monkeypatch.setattr(archives, "members", counted)
    told = [f"{number}.json: sample '{number}-{one}' and '{number}-0'" for one in (8, 3) for number in range(count)]
    assert EntryRows(path).places(told) == [
        RowPlace(f"{number}.json", one + 1) for one in (8, 3) for number in range(count)
    ]
    assert len(reads) == 2, "the names, and what is in the files"


def test_every_row_is_looked_at_once_however_many_ids_are_sought() -> None:
    class Counted(list[str]):
        passes = 0

        def __iter__(self) -> Iterator[str]:
            self.passes += 1
            return super().__iter__()

    rows = Counted(f'{{"id": "{number}"}}' for number in range(500))
    sought = [f"sample '{number}' or '{number + 1}'" for number in range(-1, 499)]
    assert rows_of_places(sought, rows)[:3] == [1, 1, 2]
    assert rows.passes == 1


def test_lines_are_counted_as_checks_count_them() -> None:
    assert rows_of("a\u2028b\x0b\r\nc\n\n".encode()) == ["a\u2028b\x0b", "c", ""]
    assert rows_of(b"[1]") == ["1"]


def test_rows_can_always_be_written_on_a_page() -> None:
    rows = rows_of(b'["\\ud800", "\\u202e"]')
    assert rows == [r'"\ud800"', r'"\u202e"']
    nested = b"[" + b"[" * 900 + b"]" * 900 + b"]"
    assert rows_of(nested) is not None


def test_a_list_of_endlessly_many_elements_stays_the_line_that_it_is() -> None:
    found = rows_of(b"[" + b"1," * 200_000 + b"1]")
    assert found is not None
    assert len(found) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_large_file_of_an_archive_is_neither_shown_nor_held(tmp_path: Path, kind: str) -> None:
    place, large = tmp_path / "entry", bytes(100 << 20)
    if kind == "zip":
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("pad", random.Random(1).randbytes(2 << 20))
            packed.writestr("large.json", large)
            packed.writestr("small.json", "one\ntwo\n")
    else:
        with tarfile.open(place, "w") as archive:
            for name, data in (("large.json", large), ("small.json", b"one\ntwo\n")):
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    del large
    tracemalloc.start()
    try:
        assert EntryRows(place).rows("large.json") is None
        assert EntryRows(place).places(["large.json: line 1", "small.json: line 2"]) == [None, ("small.json", 2)]
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
