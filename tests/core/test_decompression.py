from __future__ import annotations

import bz2
import gzip
import os
from typing import TYPE_CHECKING

import pytest

from duologue.core import decompression, disk
from duologue.core.decompression import UnpackLimits, allowing, bunzipped, is_bzip2, limits, parse_size, shown
from duologue.core.disk import Source, read_bytes
from duologue.core.errors import FormatError, UsageError
from duologue.core.plugins import load_task

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FREE = decompression.FREE
ZEROS = bytes(1 << 20)
TASKS = ("restaurant", "conversation", "proactive", "spoken", "mobilecs/extraction", "mobilecs/dialogue")


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse beyond 64 KiB what gives more than a hundred times its size."""
    monkeypatch.setattr(decompression, "FREE", 1 << 16)
    monkeypatch.delenv(decompression.VARIABLE, raising=False)


def rules(error: pytest.ExceptionInfo[FormatError]) -> list[str]:
    return [one.rule for one in error.value.problems]


@pytest.mark.parametrize("read", [read_bytes, lambda path: list(Source(path).pieces())], ids=["held", "streamed"])
def test_a_file_that_swells_is_refused_before_it_is_unpacked_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Path], object]
) -> None:
    monkeypatch.setattr(decompression, "PIECE", 1 << 14)
    monkeypatch.setattr(disk, "SMALL", -1)
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(ZEROS) * 500)
    came: list[int] = []
    count = decompression.Meter.count

    def counted(meter: decompression.Meter, unpacked: int, packed: int = 0) -> None:
        came.append(unpacked)
        count(meter, unpacked, packed)

    monkeypatch.setattr(decompression.Meter, "count", counted)
    with pytest.raises(
        FormatError, match=r"over 100 times its packed size.*--max-unpacked 4G|--max-unpacked 256G"
    ) as error:
        read(path)
    assert rules(error) == ["unpacked-size"]
    assert sum(came) < 15 << 20  # of 500 MiB: a hundred times the 128 KiB that Python 3.12 and later read ahead


@pytest.mark.parametrize("data", [os.urandom(1 << 17), b"a line of text that returns\n" * 200], ids=["random", "small"])
def test_what_unpacks_as_files_do_is_read_whole(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(data))
    assert read_bytes(path) == b"".join(Source(path).pieces()) == data


def test_the_absolute_limit_holds_whatever_the_ratio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(os.urandom(3_000)))
    monkeypatch.setattr(decompression, "limits", lambda: UnpackLimits(held=2_000, streamed=4_000))
    with pytest.raises(FormatError, match=r"unpacks to more than 1\.95 KiB"):
        read_bytes(path)
    assert len(b"".join(Source(path).pieces())) == 3_000


@pytest.mark.parametrize(("held", "most"), [(True, 10), (False, 20)])
def test_a_limit_may_be_reached_and_not_passed(monkeypatch: pytest.MonkeyPatch, *, held: bool, most: int) -> None:
    monkeypatch.setattr(decompression, "limits", lambda: UnpackLimits(held=10, streamed=20))
    meter = decompression.Meter("x", held=held, what="'part'")
    meter.count(most, 5)
    with pytest.raises(
        FormatError, match=rf"'part' unpacks to more than {most} bytes, .*; 5 bytes of it had been read"
    ):
        meter.count(1)


def test_a_ratio_may_be_reached_and_not_passed_and_counts_beyond_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompression, "limits", lambda: UnpackLimits(held=1 << 40, streamed=1 << 40, ratio=3))
    free, twice = decompression.Meter("x"), decompression.Meter("x")
    free.count(1 << 16)
    twice.count(3 << 16, 1 << 16)
    for meter in (free, twice):
        with pytest.raises(FormatError, match="more than 64 KiB and over 3 times its packed size"):
            meter.count(1)


def test_the_option_raises_all_limits_also_for_processes_that_are_started(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(ZEROS))
    with allowing("2 MiB"):
        assert os.environ["DUOLOGUE_MAX_UNPACKED"] == "2 MiB"
        assert limits() == UnpackLimits(held=2 << 20, streamed=2 << 20, ratio=None)
        assert read_bytes(path) == ZEROS
        with allowing("1000"), pytest.raises(FormatError, match="more than 1000 bytes"):
            read_bytes(path)
        assert read_bytes(path) == ZEROS
    assert limits() == UnpackLimits()


@pytest.mark.parametrize("text", ["", "0", "many", "-1", "1.5G", "8X", "٣G", "1" * 40])
def test_what_is_no_size_is_refused_with_an_example(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="such as 8G"):
        parse_size(text)
    monkeypatch.setenv(decompression.VARIABLE, text)
    if text:
        with pytest.raises(UsageError, match="DUOLOGUE_MAX_UNPACKED"):
            limits()


@pytest.mark.parametrize("task", TASKS)
def test_each_task_refuses_a_result_file_that_swells(task: str, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(gzip.compress(b" " * len(ZEROS)))
    found = load_task(task)
    submission = found.read(path)
    for variant in found.info.variants:
        assert [one.rule for one in found.check(submission, None, variant)] == ["unpacked-size"]


@pytest.mark.parametrize("size", [1, 5, 1 << 18])
def test_bzip2_is_unpacked_in_bounded_pieces_over_several_streams(size: int) -> None:
    data = os.urandom(2_000)
    packed = bz2.compress(data) + bz2.compress(b"") + bz2.compress(data[::-1])
    pieces = list(bunzipped((packed[at : at + size] for at in range(0, len(packed), size)), "x"))
    assert b"".join(pieces) == data + data[::-1]
    assert is_bzip2(packed)
    assert is_bzip2(bz2.compress(b""))
    assert not is_bzip2(b"BZh is how this text begins")


def test_bzip2_that_swells_is_refused_before_it_is_unpacked_to_its_end() -> None:
    pieces: list[int] = []
    with pytest.raises(FormatError, match="unpacks to") as error:
        pieces.extend(map(len, bunzipped([bz2.compress(ZEROS * 20)], "x")))
    assert rules(error) == ["unpacked-size"]
    assert max(pieces, default=0) <= decompression.PIECE


@pytest.mark.parametrize("cut", [3, 20, -1])
def test_bzip2_that_is_cut_off_or_broken_is_refused(cut: int) -> None:
    packed = bz2.compress(b"some text")
    for data in (packed[:cut], packed[:cut] + b"xxxx" * 20):
        with pytest.raises(FormatError) as error:
            list(bunzipped([data], "x"))
        assert rules(error) == ["bzip2-damaged"]


@pytest.mark.parametrize(
    ("text", "size"), [("1k", 1 << 10), ("2M", 2 << 20), ("3 GiB", 3 << 30), ("1T", 1 << 40), ("7", 7)]
)
def test_a_size_is_a_number_with_its_unit(text: str, size: int) -> None:
    assert decompression.parse_size(text) == size


@pytest.mark.parametrize(
    ("size", "told"),
    [(1023, "1023 bytes"), (1 << 10, "1 KiB"), (1 << 20, "1 MiB"), (3 << 29, "1.5 GiB"), (1 << 30, "1 GiB")],
)
def test_sizes_are_told_in_the_largest_unit_that_they_fill(size: int, told: str) -> None:
    assert shown(size) == told


def test_a_file_of_less_than_a_mebibyte_is_read_whatever_its_ratio(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decompression, "FREE", FREE)
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(ZEROS))
    assert read_bytes(path) == ZEROS
    path.write_bytes(gzip.compress(ZEROS + b"x"))
    with pytest.raises(FormatError, match="more than 1 MiB and over 100 times its packed size"):
        read_bytes(path)
