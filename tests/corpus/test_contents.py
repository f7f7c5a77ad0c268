from __future__ import annotations

import gzip
import random
from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import StorageError
from duologue.corpus.contents import sampled

if TYPE_CHECKING:
    from pathlib import Path

DATA = random.Random(1).randbytes(100_000)


def changed(at: int) -> bytes:
    return DATA[:at] + bytes([DATA[at] ^ 1]) + DATA[at + 1 :]


@pytest.mark.parametrize("other", [changed(0), changed(99_999), changed(33_300), DATA + b"x", DATA[:-1], b""])
def test_another_size_and_other_blocks_are_seen(tmp_path: Path, other: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(DATA)
    before = sampled(path, blocks=4, block=1000)
    assert before == sampled(path, blocks=4, block=1000)
    path.write_bytes(other)
    assert sampled(path, blocks=4, block=1000) != before


def test_what_lies_between_the_blocks_of_a_packed_file_is_seen_by_its_checksum(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    found = set()
    for data in (DATA, changed(50_000)):
        path.write_bytes(gzip.compress(data, 0, mtime=0))
        found.add(sampled(path, blocks=4, block=1000))
    assert len(found) == 2


@pytest.mark.parametrize("at", [0, 20_000, 50_000, 99_999])
def test_a_small_file_is_read_whole(tmp_path: Path, at: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(DATA)
    before = sampled(path)
    path.write_bytes(changed(at))
    assert sampled(path) != before


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"cannot read .*none"):
        sampled(tmp_path / "none")
