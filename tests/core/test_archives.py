from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.core import archives, decompression
from duologue.core.archives import is_archive, members, unpacked
from duologue.core.errors import DuologueError, FormatError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Pack = Callable[[dict[str, bytes]], bytes]

FILES = {"a.json": b"[1]", "team/b.json": "好".encode(), "team/deep/c": b""}


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("team") if hasattr(archive, "mkdir") else None
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def named(name: bytes) -> bytes:
    """Return a zip of one file, whose name is in another encoding and not marked."""
    placeholder = "x" * len(name)
    return zipped({placeholder: b"1"}).replace(placeholder.encode(), name)


def tarred(files: dict[str, bytes], *extra: tarfile.TarInfo) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in extra:
            archive.addfile(info)
    return out.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def linked() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return out.getvalue()


def repeated() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a", b"1")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a", b"2")
    return out.getvalue()


def written(folder: Path, data: bytes) -> Path:
    path = folder / "archive"
    path.write_bytes(data)
    return path


def rules(path: Path) -> list[str]:
    with pytest.raises(FormatError) as error:
        list(members(path))
    return [one.rule for one in error.value.problems]


@pytest.mark.parametrize(
    "pack", [zipped, tarred, lambda files: gzip.compress(tarred(files))], ids=["zip", "tar", "tgz"]
)
def test_the_files_of_an_archive_are_given_with_their_names(tmp_path: Path, pack: Pack) -> None:
    path = written(tmp_path, pack(FILES))
    assert is_archive(path)
    assert dict(members(path)) == FILES
    assert dict(members(path, lambda name: name.endswith(".json"))) == {
        name: data for name, data in FILES.items() if name.endswith(".json")
    }
    with unpacked(path) as folder:
        assert {
            one.relative_to(folder).as_posix(): one.read_bytes() for one in folder.rglob("*") if one.is_file()
        } == FILES
    assert not folder.exists()


def test_a_file_deep_in_an_archive_without_its_folders_is_unpacked(tmp_path: Path) -> None:
    with unpacked(written(tmp_path, zipped({"a/b/c/x.json": b"[]"}))) as folder:
        assert (folder / "a" / "b" / "c" / "x.json").read_bytes() == b"[]"


def test_a_folder_that_was_packed_by_tar_has_plain_names(tmp_path: Path) -> None:
    path = written(tmp_path, tarred({"./a": b"1", "./b/c": b"2"}, special(".", tarfile.DIRTYPE)))
    assert dict(members(path)) == {"a": b"1", "b/c": b"2"}


@pytest.mark.parametrize(
    "name", ["../x", "a/../../x", "/etc/x", "a//b", "C:x", "a\\..\\x", "..", "x\x1b[2J", "a/./b", "n" * 1_001]
)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_an_archive_with_a_name_that_leads_out_of_it_is_refused_whole(tmp_path: Path, pack: Pack, name: str) -> None:
    path = written(tmp_path, pack({"fine": b"1", name: b"2"}))
    assert rules(path) == ["archive-name"]
    with pytest.raises(FormatError, match="archive-name"), unpacked(path):
        pass
    assert [one.name for one in tmp_path.iterdir()] == ["archive"]


def test_an_entry_of_a_zip_whose_name_is_empty_is_refused(tmp_path: Path) -> None:
    data = zipped({"fine": b"1", "name": b"2"}).replace(b"name", b"\x00ame")  # a name ends at its first zero
    assert rules(written(tmp_path, data)) == ["archive-name"]


@pytest.mark.parametrize(
    "data",
    [
        tarred({}, special("x", tarfile.SYMTYPE, "/etc/passwd")),
        tarred({}, special("x", tarfile.LNKTYPE, "../y")),
        tarred({}, special("x", tarfile.FIFOTYPE)),
        tarred({}, special("x", tarfile.CHRTYPE)),
        linked(),
    ],
    ids=["symbolic", "hard", "fifo", "device", "zip"],
)
def test_links_and_devices_are_refused(tmp_path: Path, data: bytes) -> None:
    assert rules(written(tmp_path, data)) == ["archive-entry"]


def test_names_given_twice_and_encrypted_files_are_refused_all_at_once(tmp_path: Path) -> None:
    assert rules(written(tmp_path, repeated())) == ["archive-repeated"]
    data = bytearray(zipped({"a": b"1", "b": b"2"}))
    at = data.index(b"PK\x01\x02")
    while at >= 0:
        data[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 1)
    assert rules(written(tmp_path, bytes(data)))[-2:] == ["archive-entry", "archive-entry"]


@pytest.mark.parametrize(
    "pack", [zipped, tarred, lambda files: gzip.compress(tarred(files))], ids=["zip", "tar", "tgz"]
)
def test_too_many_entries_and_files_that_swell_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Pack
) -> None:
    monkeypatch.setattr(archives, "LIMIT", 5)
    assert rules(written(tmp_path, pack({f"{at}": b"" for at in range(20)}))) == ["archive-entries"]
    monkeypatch.setattr(decompression, "FREE", 1 << 16)
    monkeypatch.setattr(decompression, "limits", lambda: decompression.UnpackLimits(held=1 << 20, ratio=20))
    assert rules(written(tmp_path, pack({"a": bytes(1 << 21)}))) == ["unpacked-size"]


def test_a_tar_swells_past_the_limit_of_what_is_held_before_its_names_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, gzip.compress(tarred({"../x": os.urandom(1 << 14)})))
    assert rules(path) == ["archive-name"]
    monkeypatch.setattr(decompression, "limits", lambda: decompression.UnpackLimits(held=1 << 13, streamed=1 << 30))
    assert rules(path) == ["unpacked-size"]


@pytest.mark.parametrize("name", ["../" + "n" * 77, "../" + "n" * 78, "../é\x1b" + "n" * 500])
def test_of_a_wrong_name_up_to_eighty_signs_are_told_without_what_a_terminal_obeys(tmp_path: Path, name: str) -> None:
    with pytest.raises(FormatError) as refused:
        list(members(written(tmp_path, tarred({name: b"1"}))))
    (problem,) = refused.value.problems
    told = "is a name that leads out of the archive, or that not every system has"
    assert problem.message == f"{name[:80]!a} {told}"
    assert problem.advice == "pack plain files alone"


@pytest.mark.parametrize(
    "pack", [zipped, tarred, lambda files: gzip.compress(tarred(files))], ids=["zip", "tar", "tgz"]
)
def test_an_archive_that_is_cut_off_is_refused(tmp_path: Path, pack: Pack) -> None:
    data = pack({"a": bytes(range(256)) * 9, "b": b"2"})
    end = len(data.rstrip(b"\0"))
    for size in (end - 1, end - 100, end // 2):
        assert rules(written(tmp_path, data[:size])) in (["archive-damaged"], ["gzip-damaged"])


@pytest.mark.parametrize("data", [b"", b"{}", b"PK", gzip.compress(b"{}", mtime=0), b"\x1f\x8b"])
def test_what_is_no_archive_is_told_so(tmp_path: Path, data: bytes) -> None:
    path = written(tmp_path, data)
    assert not is_archive(path)
    assert rules(path) == ["not-an-archive"]


@given(
    base=st.sampled_from([zipped(FILES), tarred(FILES), gzip.compress(tarred(FILES), mtime=0)]),
    places=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=6),
)
def test_a_damaged_archive_is_read_or_refused_in_words(
    base: bytes, places: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = bytearray(base)
    for place, value in places:
        data[place % len(data)] = value
    path = written(tmp_path_factory.mktemp("damaged"), bytes(data))
    try:
        names = [name for name, _ in members(path)]
    except DuologueError:
        return
    assert len(names) <= len(FILES)


def test_as_many_entries_and_as_long_a_name_as_are_allowed_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "LIMIT", 5)
    files = {"n" * 1_000: b"1", **{f"{at}": b"" for at in range(4)}}
    path = written(tmp_path, tarred(files))
    assert dict(members(path)) == files
    assert rules(written(tmp_path, tarred(files | {"x": b""}))) == ["archive-entries"]


def test_a_zip_of_far_too_many_entries_is_refused_before_its_directory_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "LIMIT", 3)
    for piece in (5, 7, 1 << 16):  # marks lie across the pieces
        monkeypatch.setattr(decompression, "PIECE", piece)
        data = b"x" * 3 + b"PK\x01\x02..." * 6
        raw = io.BytesIO(data)
        assert archives._directory_size(raw, tmp_path) == len(data)
        assert raw.tell() == 0
        with pytest.raises(FormatError, match="more than 3 entries"):
            archives._directory_size(io.BytesIO(data + b"PK\x01\x02"), tmp_path)


def test_an_unknown_packing_of_a_zip_is_named(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a", b"1")
    path = written(tmp_path, out.getvalue())
    with pytest.raises(FormatError, match=r"'a' is packed by method 12 of zip"):
        list(members(path))
    assert rules(path) == ["archive-entry"]


@pytest.mark.parametrize(
    "pack", [zipped, tarred, lambda files: gzip.compress(tarred(files))], ids=["zip", "tar", "tgz"]
)
def test_what_an_archive_holds_counts_as_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Pack) -> None:
    monkeypatch.setattr(decompression, "FREE", 1 << 10)
    plenty = decompression.UnpackLimits(held=1 << 16, streamed=1 << 30, ratio=None)
    monkeypatch.setattr(decompression, "limits", lambda: plenty)
    assert rules(written(tmp_path, pack({"a": bytes(1 << 17)}))) == ["unpacked-size"]
    assert dict(members(written(tmp_path, pack({"a": b"1"})))) == {"a": b"1"}


@pytest.mark.parametrize("size", [b"\x80" + (2**63).to_bytes(11, "big"), b"\xff" * 12], ids=["huge", "negative"])
def test_a_size_in_a_tar_that_no_file_has_is_damage(tmp_path: Path, size: bytes) -> None:
    header = bytearray(tarfile.TarInfo("x").tobuf(tarfile.GNU_FORMAT))
    header[124:136] = size
    header[148:156] = b"%06o\0 " % (256 + sum(header[:148]) + sum(header[156:]))
    path = written(tmp_path, bytes(header) + bytes(1024))
    assert rules(path) == ["archive-damaged"]
    with pytest.raises(FormatError, match="a size that no file has"):
        list(archives.tar_entries(path, held=False))


def test_ten_thousand_entries_are_read_and_one_more_is_not(tmp_path: Path) -> None:
    files = {f"{number}": b"" for number in range(10_000)}
    assert sum(1 for _ in members(written(tmp_path, tarred(files)), lambda _: False)) == 0
    assert rules(written(tmp_path, tarred(files | {"x": b""}))) == ["archive-entries"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("三月/通话.txt".encode("gb2312"), "三月/通话.txt"),  # a Chinese Windows
        ("三月/通话.txt".encode(), "三月/通话.txt"),  # UTF-8, not marked
        ("résumé.json".encode("cp437"), "résumé.json"),  # what the format says
        (b"a\\\xb0.txt", None),  # a backslash is refused in any encoding
    ],
)
def test_names_in_a_zip_that_are_not_marked(tmp_path: Path, written: bytes, read: str | None) -> None:
    path = tmp_path / "some.zip"
    path.write_bytes(named(written))
    if read is None:
        with pytest.raises(FormatError, match="is a name that leads out"):
            list(members(path))
    else:
        assert list(members(path)) == [(read, b"1")]
