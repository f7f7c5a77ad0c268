from __future__ import annotations

import errno
import gc
import gzip
import io
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import zipfile
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, Any, Literal, Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.core import disk
from duologue.core.disk import (
    GrowingFile,
    Source,
    copy_file,
    decode_json,
    decode_text,
    read_bytes,
    read_json,
    replacing,
    replacing_text,
    resolved,
    sha256,
    temporary_folder,
    write_bytes,
    write_scratch,
    write_text,
)
from duologue.core.errors import DuologueError, FormatError, NoSpaceError, StorageError
from tests.full_disk import files_up_to
from tests.strategies import json_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STOPS = [ValueError("x"), KeyboardInterrupt(), SystemExit(3)]
NAMES = ["plain.json", "packed.json.gz"]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_and_stop(path: Path, pieces: list[bytes], stop: BaseException) -> None:
    with replacing(path) as out:
        for piece in pieces:
            out.write(piece)
        raise stop


def write_text_and_divide_by_zero(path: Path) -> None:
    with replacing_text(path) as out:
        out.write("new" * 10_000)
        out.write(str(1 / 0))


@settings(max_examples=30)
@given(data=st.binary(max_size=400), name=st.sampled_from(NAMES))
def test_what_is_written_is_read_back_and_equal_content_gives_equal_bytes(data: bytes, name: str, folder: Path) -> None:
    if data.startswith(b"\x1f\x8b") and name == "plain.json":
        data = b" " + data  # such bytes are read as gzip whatever the name, and rightly so
    write_bytes(folder / name, data)
    first = (folder / name).read_bytes()
    assert read_bytes(folder / name) == data
    write_bytes(folder / name, data)
    assert (folder / name).read_bytes() == first


@settings(max_examples=30)
@given(old=st.binary(max_size=50), pieces=st.lists(st.binary(max_size=50), max_size=4), stop=st.sampled_from(STOPS))
@pytest.mark.parametrize("name", NAMES)
def test_a_block_that_is_stopped_leaves_the_old_file_and_no_other(
    old: bytes, pieces: list[bytes], stop: BaseException, name: str, folder: Path
) -> None:
    place = folder / "stopped" / name
    write_bytes(place, old)
    before = place.read_bytes(), names_in(place.parent)
    with pytest.raises(type(stop)):
        write_and_stop(place, pieces, stop)
    assert (place.read_bytes(), names_in(place.parent)) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_file_has_its_name_only_when_it_is_complete(name: str, tmp_path: Path) -> None:
    with replacing(tmp_path / name) as out:
        out.write(b"half")
        assert not (tmp_path / name).exists()
        out.write(b" whole")
    assert read_bytes(tmp_path / name) == b"half whole"
    assert names_in(tmp_path) == [name]


def test_a_packed_file_holds_no_name_and_no_time(tmp_path: Path) -> None:
    write_text(tmp_path / "one.gz", "text")
    os.utime(tmp_path / "one.gz", (0, 0))
    write_text(tmp_path / "another.gz", "text")
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "another.gz").read_bytes()


@settings(max_examples=30)
@given(pieces=st.lists(st.binary(max_size=300), max_size=4))
def test_a_packed_file_is_what_the_library_would_write_at_once(pieces: list[bytes], folder: Path) -> None:
    whole = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=whole, mode="wb", mtime=0) as out:
        out.write(b"".join(pieces))
    with replacing(folder / "pieces.gz") as packed:
        for piece in pieces:
            packed.write(piece)
    assert (folder / "pieces.gz").read_bytes() == whole.getvalue()


def test_a_packed_file_is_known_by_its_bytes_and_not_its_name(tmp_path: Path) -> None:
    (tmp_path / "data.json").write_bytes(gzip.compress(b"[1]"))
    (tmp_path / "data.json.gz").write_bytes(b"[2]")
    assert read_json(tmp_path / "data.json")[0] == [1]
    assert read_json(tmp_path / "data.json.gz")[0] == [2]


def test_a_new_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    write_bytes(tmp_path / "ours", b"")
    (tmp_path / "other").write_bytes(b"")
    assert stat.S_IMODE((tmp_path / "ours").stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_file_that_is_replaced_leaves_its_permissions(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_bytes(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_bytes() == b"new"


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    goal = tmp_path / "deep" / "goal"
    goal.write_bytes(b"old")
    link, chain, dangling = tmp_path / "link", tmp_path / "chain", tmp_path / "dangling"
    link.symlink_to("deep/goal")
    chain.symlink_to(link)
    dangling.symlink_to("made/later")
    write_bytes(chain, b"new")
    write_bytes(dangling, b"first")
    assert goal.read_bytes() == b"new"
    assert (tmp_path / "made" / "later").read_bytes() == b"first"
    assert all(one.is_symlink() for one in (link, chain, dangling))
    assert names_in(tmp_path / "deep") == ["goal"]


def test_a_pipe_gets_the_bytes_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with tempfile.TemporaryFile() as heard:
        with subprocess.Popen(["cat", pipe], stdout=heard) as reader:
            write_bytes(pipe, b"sent" * 100_000)
            assert reader.wait(timeout=20) == 0
        heard.seek(0)
        assert heard.read() == b"sent" * 100_000
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names_in(tmp_path) == ["pipe"]


def test_a_device_stays_a_device() -> None:
    before = Path("/dev/null").stat()
    write_bytes(Path("/dev/null"), b"away")
    assert Path("/dev/null").stat().st_ino == before.st_ino
    with pytest.raises(StorageError, match="no space left"):
        write_bytes(Path("/dev/full"), b"x")


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_gets_the_bytes_in_their_place_wherever_it_goes(name: str, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom duologue.core.disk import write_text\n"
        f"print('before')\nwrite_text(Path({name!r}), 'written\\n')\nprint('after')\n"
    )
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    piped = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert (tmp_path / "out").read_bytes() == piped.stdout == b"before\nwritten\nafter\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is protected from root")
def test_a_protected_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(StorageError, match="no permission"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"


def test_missing_folders_are_made(tmp_path: Path) -> None:
    write_text(tmp_path / "a" / "b" / "c.txt", "deep")
    assert (tmp_path / "a" / "b" / "c.txt").read_text(encoding="utf-8") == "deep"


def test_text_is_written_as_utf8_with_its_own_line_ends(tmp_path: Path) -> None:
    with replacing_text(tmp_path / "text") as out:
        out.write("流量\r\n")
        out.write("a\nb\r")
    assert (tmp_path / "text").read_bytes() == "流量\r\na\nb\r".encode()


def test_text_that_is_stopped_leaves_the_old_file(tmp_path: Path) -> None:
    write_text(tmp_path / "text", "old")
    with pytest.raises(ZeroDivisionError):
        write_text_and_divide_by_zero(tmp_path / "text")
    assert (tmp_path / "text").read_text(encoding="utf-8") == "old"
    assert names_in(tmp_path) == ["text"]


@pytest.mark.parametrize("name", NAMES)
def test_a_process_that_is_killed_in_the_middle_leaves_the_old_file(name: str, tmp_path: Path) -> None:
    write_bytes(tmp_path / name, b"old")
    code = """
import os, signal, sys
from pathlib import Path
from duologue.core.disk import replacing
with replacing(Path(sys.argv[1])) as out:
    out.write(b"new" * 100_000)
    out.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / name)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert read_bytes(tmp_path / name) == b"old"
    write_bytes(tmp_path / name, b"new")
    assert read_bytes(tmp_path / name) == b"new"


class FullDisk:
    """A real file on a disk with `room` bytes left: everything works until they are used up."""

    def __init__(self, file: IO[bytes], room: int) -> None:
        self.file = file
        self.room = room

    def write(self, data: bytes) -> int:
        self.room -= len(data)
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.file.write(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *stopped: object) -> None:
        self.file.close()

    def flush(self) -> None:
        self.file.flush()

    def fileno(self) -> int:
        return self.file.fileno()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("room", [0, 5, 15])
def test_a_full_disk_is_said_and_leaves_the_old_file(
    name: str, room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_bytes(tmp_path / name, b"old")
    opened = os.fdopen

    def open_on_a_full_disk(handle: int, mode: Literal["wb"]) -> FullDisk:
        return FullDisk(opened(handle, mode), room)

    monkeypatch.setattr(os, "fdopen", open_on_a_full_disk)
    with pytest.raises(StorageError, match="no space left on the disk; free some and run the command again"):
        write_bytes(tmp_path / name, os.urandom(100))
    monkeypatch.undo()
    gc.collect(1)  # what is left of the file must not try again and complain; it is young
    assert read_bytes(tmp_path / name) == b"old"
    assert names_in(tmp_path) == [name]


def test_a_disk_that_is_full_only_when_it_syncs_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    write_bytes(tmp_path / "x", b"old")
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StorageError, match="no space left"):
        write_bytes(tmp_path / "x", b"new")
    monkeypatch.undo()
    assert (read_bytes(tmp_path / "x"), names_in(tmp_path)) == (b"old", ["x"])


def test_a_folder_in_place_of_a_file_is_said(tmp_path: Path) -> None:
    for call in (lambda: read_bytes(tmp_path), lambda: write_bytes(tmp_path, b"")):
        with pytest.raises(StorageError, match="it is a folder, a file is expected"):
            call()
    assert names_in(tmp_path) == []


def test_a_missing_file_is_said_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"cannot read .*nowhere\.json: there is no such file or folder"):
        read_bytes(tmp_path / "nowhere.json")


def test_a_file_in_place_of_a_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match="a part of the path is a file"):
        read_bytes(tmp_path / "file" / "x")
    with pytest.raises(StorageError, match="cannot write"):
        write_bytes(tmp_path / "file" / "x", b"")


def test_a_name_that_is_too_long_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="the name is too long"):
        write_bytes(tmp_path / ("x" * 300), b"")


@contextmanager
def without_privileges() -> Iterator[None]:
    """Give up root's rights for a while, since root may read and write everything."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)  # nobody
    try:
        yield
    finally:
        os.seteuid(before)


def test_missing_permission_is_said() -> None:
    with tempfile.TemporaryDirectory() as name:  # not pytest's own folder, which nobody else may enter
        place = Path(name)
        (place / "closed").write_bytes(b"")
        (place / "closed").chmod(0)
        place.chmod(0o555)
        with without_privileges():
            with pytest.raises(StorageError, match=r"cannot read .*closed: no permission"):
                read_bytes(place / "closed")
            with pytest.raises(StorageError, match=r"cannot write .*new: no permission"):
                write_bytes(place / "new", b"")
        place.chmod(0o755)
        assert names_in(place) == ["closed"]


@settings(max_examples=60)
@given(data=st.data())
def test_damaged_gzip_is_a_format_error_or_still_whole(data: st.DataObject, folder: Path) -> None:
    whole = gzip.compress(b"[1, 2, 3, 4, 5]" * 20, mtime=0)
    if data.draw(st.booleans(), label="cut off"):
        broken = whole[: data.draw(st.integers(2, len(whole) - 1))]
    else:
        at = data.draw(st.integers(2, len(whole) - 1))
        broken = whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]
    (folder / "broken.gz").write_bytes(broken)
    try:
        assert read_bytes(folder / "broken.gz") == b"[1, 2, 3, 4, 5]" * 20  # a bit of the header that says nothing
    except FormatError as error:
        rules = [problem.rule for problem in error.problems]
        if rules != ["gzip-damaged"]:
            raise


def test_a_byte_order_mark_is_taken_off_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b"\xef\xbb\xbf[1]")
    value, data, warnings = read_json(tmp_path / "x.json")
    assert (value, data) == ([1], b"\xef\xbb\xbf[1]")
    assert [(warning.rule, warning.severity) for warning in warnings] == [("byte-order-mark", "warning")]


def test_a_zip_archive_is_told_as_such() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("train.json", json.dumps(["您好"] * 1_000, ensure_ascii=False))
    with pytest.raises(
        FormatError, match="it is a zip archive; expected text in UTF-8; unpack it, and give the file in it"
    ):
        decode_text(packed.getvalue(), Path("x"))
    for name, told in (("A.XLSX", "workbook of a spreadsheet"), ("a.docx", "document of a word processor")):
        with pytest.raises(
            FormatError,
            match=f"it is a {told}; expected text in UTF-8; save it from there as text in UTF-8, a table as CSV",
        ):
            decode_text(b"PK\x03\x04\xff", Path(name))


def test_bytes_that_are_not_utf8_are_named_with_line_and_byte() -> None:
    with pytest.raises(FormatError, match=r"line 2, byte 4: found bytes ff 62, which are not UTF-8"):
        decode_text(b"a\nbc\xffb", Path("x"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"a": 1}, {"b"', "was the file cut off?"),
        ('[{"a": 1}, {"bcd', "was the file cut off?"),
        ("", "found an empty file"),
        ("[1 2]", "line 1, column 4"),
        ("{'a': 1}", "line 1, column 2"),
        ("[" * 100_000, "cannot be read|not valid JSON"),
        ("9" * 5_000, "cannot be read"),
    ],
)
def test_text_that_is_not_json_is_a_format_error(text: str, said: str) -> None:
    with pytest.raises(FormatError, match=said) as caught:
        decode_json(text, Path("x"))
    assert [problem.rule for problem in caught.value.problems] == ["not-json"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"goal": [', "line 7, column 11: not valid JSON: .*; found the end of the line; was the line cut off"),
        (" ", "line 7, column 2: .*; take the empty line out"),
        ("9" * 5_000, "line 7: the JSON cannot be read"),
    ],
)
def test_a_line_that_is_not_json_is_told_as_a_line_of_its_file(text: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        decode_json(text, Path("x"), 7)


@settings(max_examples=50)
@given(value=json_values)
def test_json_is_read_as_it_was_written(value: object, folder: Path) -> None:
    write_text(folder / "value.json", json.dumps(value, ensure_ascii=False))
    assert read_json(folder / "value.json")[0] == value


@settings(max_examples=100)
@given(data=st.binary(max_size=60))
def test_whatever_a_file_holds_it_is_read_or_refused_in_words(data: bytes, folder: Path) -> None:
    (folder / "junk").write_bytes(data)
    try:
        value, seen, _ = read_json(folder / "junk")
    except DuologueError as error:
        message = str(error)
        assert str(folder / "junk") in message  # both ends are right, and this one is looked at
    else:
        assert seen
        assert json.dumps(value)


def test_a_hash_is_sha256_in_hexadecimal() -> None:
    assert sha256(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@given(st.text(max_size=40) | st.from_regex(r"[\[{\]}:,\"0-9eE.+-]{0,30}", fullmatch=True))
def test_json_is_read_as_the_standard_library_reads_it(text: str) -> None:
    def outcome(read: Callable[[], object]) -> str:
        try:
            return repr(read())
        except (ValueError, FormatError):
            return "refused"

    assert outcome(lambda: decode_json(text, Path("x.json"))) == outcome(lambda: json.loads(text))


def test_a_ring_of_links_is_resolved_without_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert resolved(tmp_path / "a").parent == tmp_path.resolve()
    assert resolved(tmp_path / "x" / ".." / "c") == tmp_path.resolve() / "c"


def test_half_a_surrogate_pair_is_spelled_out_in_text(tmp_path: Path) -> None:
    write_text(tmp_path / "page.html", "before \udcff after 中")
    assert (tmp_path / "page.html").read_text("utf-8") == "before \\udcff after 中"


def test_a_small_file_and_whatever_is_read_once_are_held_and_a_large_file_is_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "SMALL", 10)
    path, pipe = tmp_path / "x", tmp_path / "pipe"
    path.write_bytes(b"1234567890")
    small = Source(path)
    assert small.held
    path.write_bytes(b"12345678901")
    large = Source(path)
    assert not large.held
    path.unlink()
    assert b"".join(small.pieces()) == b"1234567890"
    with pytest.raises(StorageError, match="no such file"):
        list(large.pieces())
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"12345678901",))
    writer.start()
    sent = Source(pipe)
    writer.join()
    assert sent.held
    assert b"".join(sent.pieces()) == b"12345678901"


def test_a_private_file_may_be_the_first_of_a_folder_that_is_there_or_not(tmp_path: Path) -> None:
    for path in (tmp_path / "x.db", tmp_path / "own" / "x.db"):
        disk.make_private(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_that_a_file_is_private_is_said_by_name(tmp_path: Path) -> None:
    write: Any = disk.write_text
    with pytest.raises(TypeError):
        write(tmp_path / "x", "x", True)  # noqa: FBT003  # that is what is refused


def test_a_private_file_in_a_new_folder_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "open" / "own" / "x.db"
    disk.make_private(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o644)
    disk.make_private(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_name_with_a_nul_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "a\0b"
    for act in (
        lambda: disk.read_bytes(path),
        lambda: disk.Source(path),
        lambda: disk.write_bytes(path, b""),
        lambda: disk.write_text(tmp_path / "x\0y" / "z", ""),
    ):
        with pytest.raises(StorageError, match="no name of a file holds a NUL"):
            act()


def test_what_does_not_fit_at_the_end_of_a_file_is_taken_back_and_can_be_added_later(tmp_path: Path) -> None:
    path = tmp_path / "new" / "below" / "x"
    with GrowingFile(path) as file:
        file.add(b"one\n")
        with files_up_to(7), pytest.raises(NoSpaceError, match=r"cannot write .*x: it would be larger"):
            file.add(b"two and more\n")
        assert path.read_bytes() == b"one\n"
        file.add(b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize(("found", "left"), [(7, b"one\n"), (6, b"one\ntwo"), (8, b"one\ntwo")])
def test_a_cut_off_end_is_taken_away_where_the_file_is_as_long_as_it_was_found(
    tmp_path: Path, found: int, left: bytes
) -> None:
    write_bytes(tmp_path / "x", b"one\ntwo")
    with GrowingFile(tmp_path / "x") as file:
        file.cut(found, off=3)
    assert (tmp_path / "x").read_bytes() == left


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no such device")
def test_a_full_device_is_told_and_closed_in_silence() -> None:
    with GrowingFile(Path("/dev/full")) as file, pytest.raises(NoSpaceError, match="no space left on the disk"):
        file.add(b"x")


def test_a_temporary_folder_is_there_for_the_block_and_may_be_removed_before(tmp_path: Path) -> None:
    with temporary_folder() as folder:
        write_scratch(folder / "deep" / "x", b"x")
        assert read_bytes(folder / "deep" / "x") == b"x"
    assert not folder.exists()
    with temporary_folder(beside=tmp_path / "new" / "out") as folder:
        assert folder.parent == tmp_path / "new"
        folder.rmdir()


def test_where_there_is_no_temporary_folder_it_is_said_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with (
        pytest.raises(StorageError, match=r"in .*gone: there is no such file or folder; set TMPDIR"),
        temporary_folder(),
    ):
        pass
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(tmp_path / "gone")])
    with pytest.raises(StorageError, match=r"none of the usual places can be written; set TMPDIR"), temporary_folder():
        pass


def test_a_copy_that_is_refused_names_the_file_that_it_is_and_leaves_nothing(tmp_path: Path) -> None:
    """A full disk was said of the file that was read."""
    source, target = tmp_path / "source.gz", tmp_path / "target.gz"
    source.write_bytes(gzip.compress(b"x") * 10)
    copy_file(source, target)
    assert target.read_bytes() == source.read_bytes()
    with files_up_to(50), pytest.raises(NoSpaceError, match=r"cannot write .*target\.gz"):
        copy_file(source, target)
    assert names_in(tmp_path) == ["source.gz"]
    with pytest.raises(StorageError, match=r"cannot read .*gone: there is no such file"):
        copy_file(tmp_path / "gone", target)
    assert names_in(tmp_path) == ["source.gz"]


def test_room_is_told_by_reserving_it(tmp_path: Path) -> None:
    """A quota leaves less than the system says to be free."""
    assert disk.has_room(tmp_path, 1 << 20)
    with files_up_to(1 << 16):
        assert not disk.has_room(tmp_path, 1 << 20)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_gives_half_of_all_it_holds_has_room_for_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(total=6_000, free=3_000))
    with files_up_to(3_000):
        assert disk.has_room(tmp_path, 1 << 20)
    with files_up_to(2_999):
        assert disk.has_room(tmp_path, 2_999)
        assert not disk.has_room(tmp_path, 1 << 20)


def test_a_temporary_folder_is_emptied(tmp_path: Path) -> None:
    (tmp_path / "sub" / "deeper").mkdir(parents=True)
    (tmp_path / "sub" / "deeper" / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "sub")
    disk.empty(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_bytes_that_are_not_utf8_are_told_in_fours_with_what_came_before() -> None:
    with pytest.raises(FormatError, match=r"line 2, byte 3: found bytes ff fe fd fc, which are not UTF-8"):
        decode_text(b"ab\n\xff\xfe\xfd\xfc\xfb", Path("x"))


@pytest.mark.parametrize(
    ("text", "cut"),
    [("[1, 2", True), ("[1 x", True), ("[1 x \n", True), ("[1 xy", False), ("[1 x]", False), ('{"a": 1]', True)],
)
def test_a_mistake_at_the_end_of_json_is_one_of_a_file_that_was_cut_off(text: str, *, cut: bool) -> None:
    with pytest.raises(FormatError) as caught:
        decode_json(text, Path("x"))
    assert caught.value.problems[0].advice == ("was the file cut off?" if cut else "mend or regenerate the file")


def test_of_wrong_json_twenty_signs_are_shown() -> None:
    with pytest.raises(FormatError, match=r"line 2, column 1: not valid JSON: Expecting value; found 'x{20}';"):
        decode_json("[\n" + "x" * 30 + "]", Path("x"))


def test_two_megabytes_are_held_and_a_byte_more_is_not(tmp_path: Path) -> None:
    for size, held in ((2 << 20, True), ((2 << 20) + 1, False)):
        (tmp_path / "x").write_bytes(bytes(size))
        assert Source(tmp_path / "x").held == held


def test_a_private_file_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    write_bytes(tmp_path / "x", b"x")
    for name in ("x", "new"):
        write_bytes(tmp_path / name, b"y", private=True)
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_the_lack_of_space_is_seen_through_the_errors_that_it_caused() -> None:
    full = OSError(errno.ENOSPC, "full")
    outer, again = ValueError("outer"), ValueError("again")
    again.__context__ = full
    outer.__cause__ = again
    assert [disk.lacks_space(one) for one in (full, again, outer, OSError(errno.EDQUOT, "quota"))] == [True] * 4
    assert [disk.lacks_space(one) for one in (OSError(errno.EACCES, "no"), ValueError("x"))] == [False] * 2
    assert disk.lacks_space(NoSpaceError("x"))


def test_bytes_that_are_no_text_are_told_by_their_place_in_the_whole_file(tmp_path: Path) -> None:
    with pytest.raises(UnicodeDecodeError) as caught:
        b"a\xff".decode()
    with pytest.raises(FormatError) as refused:
        disk.refuse_bytes(tmp_path / "a.txt", caught.value, lines=2, size=5)
    assert [(one.place, one.message) for one in refused.value.problems] == [
        ("line 3, byte 6", "found bytes ff, which are not UTF-8")
    ]
