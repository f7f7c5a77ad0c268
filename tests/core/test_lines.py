from __future__ import annotations

import gzip
import hashlib
import io
import os
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.core import decompression, disk
from duologue.core.disk import Source
from duologue.core.errors import FormatError, StorageError
from duologue.core.lines import Lines, cut, sha256

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Pack = Callable[[bytes], bytes]

PIECES = st.sampled_from(["a", "好", "\n", "\r", "\r\n", "\u2028", "\x0b", "\x85", " ", "\ufeff"])


def small_pieces(patch: pytest.MonkeyPatch, size: int) -> None:
    """Read files in pieces of so many bytes, and hold none of them."""
    patch.setattr(decompression, "PIECE", size)
    patch.setattr(disk, "SMALL", -1)


@given(st.lists(PIECES, max_size=20), st.integers(2, 5), st.sampled_from([bytes, gzip.compress]))
def test_lines_end_where_text_mode_ends_them(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str], size: int, pack: Pack
) -> None:
    data = "".join(pieces).encode()
    expected = [line.removesuffix("\n") for line in io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")]
    path = tmp_path_factory.mktemp("lines") / "lines.txt"
    path.write_bytes(pack(data))
    assert list(Lines(data)) == list(Lines(Source(path))) == cut(data.decode()) == expected
    with pytest.MonkeyPatch.context() as patch:
        small_pieces(patch, size)
        source = Source(path)
        lines = Lines(source)
        assert list(lines) == list(lines) == expected
        assert len(lines) == len(Lines(source)) == len(expected)
        assert sha256(source) == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_a_portion_holds_whole_lines_and_little_more_than_a_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(end.join(["ab"] * 1_000).encode())
    small_pieces(monkeypatch, 64)
    portions = list(Lines(Source(path)).portions())
    assert sum(map(len, portions)) == 1_000
    assert {line for portion in portions for line in portion} == {"ab"}
    assert max(map(len, portions)) <= 64


def test_a_line_longer_than_a_piece_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(b"a" * 1_000 + b"\r\n" + b"b" * 1_000)
    small_pieces(monkeypatch, 7)
    assert list(map(len, Lines(Source(path)))) == [1_000, 1_000]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_bytes_that_are_no_text_are_refused_where_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Pack
) -> None:
    data = "fine\n好\r\n".encode() * 20 + b"half \xed\xa0\x80\n"  # half a surrogate pair
    path = tmp_path / "lines.txt"
    path.write_bytes(pack(data))
    with pytest.raises(FormatError) as whole:
        disk.decode_text(data, path)
    small_pieces(monkeypatch, 5)
    with pytest.raises(FormatError) as caught:
        list(Lines(Source(path)))
    assert caught.value.problems == whole.value.problems
    assert caught.value.problems[0].place == "line 41, byte 205"
    assert caught.value.path == str(path)


def test_damaged_gzip_is_told_by_its_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lines.gz"
    path.write_bytes(gzip.compress(os.urandom(1_000))[:-20])
    small_pieces(monkeypatch, 100)
    with pytest.raises(FormatError) as caught:
        list(Source(path).pieces())
    assert [one.rule for one in caught.value.problems] == ["gzip-damaged"]


def test_a_large_file_that_changes_between_two_readings_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(b"a\nb\n")
    small_pieces(monkeypatch, 2)
    lines = Lines(Source(path))
    assert list(lines) == ["a", "b"]
    path.write_bytes(b"a\nb\nc\n")
    with pytest.raises(StorageError, match="has changed"):
        list(lines)


def test_what_can_be_read_only_once_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(gzip.compress(b"a\nb\n")))
    writer.start()
    small_pieces(monkeypatch, 3)
    lines = Lines(Source(path))
    writer.join()
    assert list(lines) == list(lines) == ["a", "b"]


def test_what_the_disk_refuses_is_a_storage_error(tmp_path: Path) -> None:
    for path, said in ((tmp_path, "it is a folder"), (tmp_path / "none", "there is no such file")):
        with pytest.raises(StorageError, match=said):
            Source(path)


def test_a_byte_order_mark_is_left_out_at_the_beginning_alone_and_only_where_that_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = "\ufeffa\n\ufeffb\n\ufeffc\n".encode()
    path = tmp_path / "lines.txt"
    path.write_bytes(data)
    small_pieces(monkeypatch, 6)
    for source in (data, Source(path)):
        assert Lines(source).marked
        assert list(Lines(source)) == ["\ufeffa", "\ufeffb", "\ufeffc"]
        assert list(Lines(source, unmarked=True)) == ["a", "\ufeffb", "\ufeffc"]
    assert not Lines(data[3:4]).marked


def test_lines_of_a_small_file_are_cut_once_and_those_of_a_large_one_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(b"a\nb\n")
    small = Lines(Source(path))
    assert next(small.portions()) is next(small.portions())
    small_pieces(monkeypatch, 64)
    large = Lines(Source(path))
    assert next(large.portions()) is not next(large.portions())
