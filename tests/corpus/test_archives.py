from __future__ import annotations

import gzip
import io
import os
import struct
import tarfile
import zipfile
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest

from duologue.core.errors import FormatError, StorageError
from duologue.corpus import archives as module
from duologue.corpus.archives import open_archive
from duologue.corpus.members import ShardPlan, unpack

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"b/2.txt": b"two" * 100, "a/1.txt": b"one", "a/3.txt.gz": gzip.compress(b"three"), "c/4.txt": b""}


def make_folder(path: Path) -> Path:
    for name, data in FILES.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    (path / ".hidden").mkdir()
    (path / ".hidden/5.txt").write_text("x")
    (path / "a/.6.txt").write_text("x")
    return path


def make_zip(path: Path, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.mkdir("a")
        for name, data in FILES.items():
            archive.writestr(name, data)
    return path


def make_tar(path: Path, mode: str) -> Path:
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]  # the mode is one of the literals
        folder = tarfile.TarInfo("a" * 120)  # a long name takes records of its own
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        for name, data in FILES.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def make(kind: str, folder: Path) -> Path:
    if kind == "folder":
        return make_folder(folder / "made")
    if kind.startswith("zip"):
        return make_zip(folder / "a.zip", zipfile.ZIP_STORED if kind == "zip stored" else zipfile.ZIP_DEFLATED)
    return make_tar(folder / "a.tar", "w:gz" if kind == "tar.gz" else "w")


@pytest.mark.parametrize("kind", ["folder", "zip", "zip stored", "tar", "tar.gz"])
def test_the_chosen_members_come_shard_by_shard(tmp_path: Path, kind: str) -> None:
    archive = open_archive(make(kind, tmp_path))
    members = archive.members(lambda name: "4" not in name)
    assert sorted(members.names) == sorted(name for name in FILES if "4" not in name)
    packed = dict(zip(members.names, members.sizes.tolist(), strict=True))
    if kind != "zip":
        assert packed == {name: len(FILES[name]) for name in packed}
    plan = ShardPlan(np.array([0, 2]), np.array([70, 50]), [range(1), range(1, 2)])
    shards = list(archive.shards(plan, set()))
    assert [shard.name for shard in shards] == ["part-00000.parquet", "part-00001.parquet"]
    parts = [part for shard in shards for part in shard.content]
    assert [(part.key, part.name) for part in parts] == [(70, members.names[0]), (50, members.names[2])]
    contents = {"b/2.txt": b"two" * 100, "a/1.txt": b"one", "a/3.txt.gz": b"three"}
    assert [unpack(part) for part in parts] == [contents[part.name] for part in parts]
    later = list(archive.shards(plan, {"part-00000.parquet"}))
    assert later[0].content == []
    assert [unpack(part) for part in later[1].content] == [contents[members.names[2]]]


def test_a_zip_with_more_members_than_16_bits_hold_is_read(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip")
    data = path.read_bytes()
    at = data.rindex(b"PK\x05\x06")
    size, offset = struct.unpack_from("<2L", data, at + 12)
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 5, 5, size, offset)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    end = b"PK\x05\x06" + b"\xff" * 16 + b"\0\0"
    path.write_bytes(data[:at] + end64 + locator + end)
    assert sorted(open_archive(path).members(bool).names) == sorted(FILES)
    path.write_bytes(data[:at] + b"x" * 56 + locator + end)
    with pytest.raises(FormatError, match="not where it should be"):
        open_archive(path).members(bool)


def test_sizes_beyond_32_bits_are_taken_from_the_zip64_field(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive, archive.open("a.txt", "w", force_zip64=True) as file:
        file.write(b"large")
    found = open_archive(tmp_path / "a.zip")
    assert found.members(bool).sizes.tolist() == [5]
    three = b"\x01\0\x18\0" + b"".join(number.to_bytes(8, "little") for number in (7, 8, 9))
    assert module._large(three, 2**32 - 1, 2**32 - 1, 2**32 - 1) == (8, 9)
    one = b"\x02\0\x01\0x\x01\0\x08\0" + (2**33).to_bytes(8, "little")
    assert module._large(one, 5, 6, 2**32 - 1) == (6, 2**33)


def test_a_directory_of_odd_numbers_is_damaged(tmp_path: Path) -> None:
    """Every stretch of the directory of a zip, with a large one's end beside it, says what no archive has."""
    whole = make_zip(tmp_path / "a.zip").read_bytes()
    end = whole.rfind(b"PK\x05\x06")
    count, start = struct.unpack_from("<H", whole, end + 10)[0], struct.unpack_from("<L", whole, end + 16)[0]
    large = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, end - start, start)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, end, 1)
    data = whole[:end] + large + locator + whole[end:]
    path = tmp_path / "b.zip"
    path.write_bytes(data)
    assert open_archive(path).members(bool).names == list(FILES)
    for width in (1, 4, 8, 24):
        for place in range(start, len(data) - width):
            path.write_bytes(data[:place] + b"\xff" * width + data[place + width :])
            with suppress(FormatError, StorageError):
                open_archive(path).members(bool)
    assert module._large(b"\x01\0\x08\0", 2**32 - 1, 5, 2**32 - 1) == (5, 2**32 - 1)
    assert module._large(b"\x01\0\x08\0xxxx", 2**32 - 1, 5, 2**32 - 1) == (5, 2**32 - 1)


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_an_archive_that_is_cut_off_is_refused_before_any_work(tmp_path: Path, kind: str) -> None:
    path = make(kind, tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3 if kind != "tar" else 2100])
    with pytest.raises(FormatError, match=r"(download|copy).* again"):
        open_archive(path).members(bool)


def test_what_is_no_archive_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    with pytest.raises(FormatError, match=r"expected a folder, a \.zip"):
        open_archive(tmp_path / "a.txt")
    with pytest.raises(StorageError, match="no such file"):
        open_archive(tmp_path / "b.zip")


def test_a_pipe_in_a_folder_is_named_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a.xml.gz").write_bytes(b"")
    os.mkfifo(tmp_path / "b.xml.gz")
    with pytest.raises(StorageError, match=r"b\.xml\.gz: it is a pipe"):
        open_archive(tmp_path).members(lambda _: True)


def test_a_zip_whose_entries_overlap_is_refused(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip")
    with zipfile.ZipFile(path, "a") as archive:
        for number in range(3):
            twin = zipfile.ZipInfo(f"twin/{number}.txt")
            first = archive.infolist()[1]
            twin.header_offset, twin.CRC = first.header_offset, first.CRC
            twin.compress_size, twin.file_size, twin.compress_type = first.compress_size, first.file_size, 8
            archive.filelist.append(twin)
        archive._didModify = True  # type: ignore[attr-defined]  # not in typeshed; the directory is written anew
    with pytest.raises(FormatError, match="files in it overlap"):
        open_archive(path).members(bool)
