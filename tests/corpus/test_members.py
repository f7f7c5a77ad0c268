from __future__ import annotations

import gzip
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.growth import LINEAR, growth

from duologue.core.errors import StorageError
from duologue.corpus import members as module
from duologue.corpus.members import MemberData, divide, unpack

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("data", "method", "reason"),
    [
        (gzip.compress(b"x" * 5000, mtime=0)[:-20], 0, "ends too early"),
        (gzip.compress(b"x" * 5000, mtime=0)[:15] + b"\xff" * 40, 0, "damaged"),
        (b"\xff" * 9, 8, "damaged"),
        (b"x", 12, "method 12"),
    ],
    ids=["cut off", "overwritten", "no deflate", "unknown method"],
)
def test_a_damaged_member_says_what_is_wrong(data: bytes, method: int, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        unpack(MemberData(1, "a", data, method=method))


def test_a_member_that_swells_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LIMIT", 1000)
    with pytest.raises(ValueError, match="unpacks to more"):
        unpack(MemberData(1, "a", gzip.compress(b"x" * 1001)))
    assert unpack(MemberData(1, "a", gzip.compress(b"x" * 1000))) == b"x" * 1000


def test_joined_and_padded_gzip_data_is_read_whole() -> None:
    data = gzip.compress(b"one ") + gzip.compress(b"two") + b"\0" * 20
    assert unpack(MemberData(1, "a", data)) == b"one two"


def test_very_many_joined_gzip_files_are_read_in_one_pass() -> None:
    def work(data: bytes) -> None:
        assert unpack(MemberData(1, "a", data)) == b"one "

    assert growth(lambda size: gzip.compress(b"one ") + gzip.compress(b"", mtime=0) * size, work, 20_000) < LINEAR


def test_a_file_that_is_gone_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no such file"):
        unpack(MemberData(1, "a", None, str(tmp_path / "gone"), offset=-1))


def test_a_place_without_a_file_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "one")
    with pytest.raises(ValueError, match="holds no file"):
        unpack(MemberData(1, "a", None, str(path), offset=3, size=4))
    with pytest.raises(ValueError, match="holds no file"):
        unpack(MemberData(1, "a", None, str(path), offset=10**6, size=4))


def test_nothing_is_divided_into_nothing() -> None:
    assert divide(np.array([], np.int64), 5) == []
