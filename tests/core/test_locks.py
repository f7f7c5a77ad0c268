from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from duologue.core import locks
from duologue.core.errors import BusyError
from duologue.core.locks import FOLDER_LOCK, LockState, held, writing_file, writing_folder

HOLDER = """
import sys
from pathlib import Path
from duologue.core.locks import {how}
with {how}(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def start(how: str, path: Path, *words: str) -> subprocess.Popen[str]:
    """Start a process that holds an output until its standard input ends."""
    code = HOLDER.format(how=how)
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path), "--a", "b \udcff", *words],  # a name of bytes that are no UTF-8
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


@pytest.mark.parametrize("how", ["writing_folder", "writing_file"])
def test_a_second_writer_is_told_who_is_at_work(how: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with start(how, out) as process:
        with pytest.raises(BusyError) as caught, getattr(locks, how)(out):
            pytest.fail("two write at once")
        process.communicate()
    assert str(out) in str(caught.value)
    assert f"number {process.pid}" in str(caught.value)
    assert r"--a 'b \udcff'" in str(caught.value)
    assert "since 20" in str(caught.value)
    with getattr(locks, how)(out):
        pass
    assert not list(tmp_path.iterdir())  # neither locks nor folders that hold nothing are left


def test_of_a_command_that_names_very_many_files_the_beginning_is_told(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with start("writing_file", out, *["a/result.json"] * 10_000) as process:
        with pytest.raises(BusyError, match=rf"number {process.pid}, .*a/result.json a/.*…`, since 20") as caught:
            writing_file(out).__enter__()
        process.communicate()
    assert len(str(caught.value)) < 2 * len(str(out)) + 400


@pytest.mark.parametrize("how", ["writing_folder", "writing_file"])
def test_the_lock_of_a_killed_process_is_taken_over(how: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with start(how, out) as process:
        process.send_signal(signal.SIGKILL)
    assert list(tmp_path.rglob(".*lock"))
    with getattr(locks, how)(out):
        pass
    assert not list(tmp_path.rglob(".*lock"))


def test_who_waits_for_a_file_that_is_removed_locks_the_one_that_stands_there_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, takes = tmp_path / "lock", list[int]()
    opened = locks._opened

    def late(place: Path) -> int:
        handle = opened(place)
        takes.append(handle)
        if len(takes) == 1:  # its holder goes, and removes the file, between our opening and locking it
            place.unlink()
        return handle

    monkeypatch.setattr(locks, "_opened", late)
    with held(path) as hold:
        assert hold.free
        assert path.is_file()
        assert len(takes) == 2
    assert not path.exists()


def test_a_folder_that_goes_while_it_is_looked_at_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`Path.mkdir` finds the folder, then finds none: that counted as a disk without locks, and two writers met."""
    path, takes = tmp_path / "out" / "lock", list[str]()
    opened = locks._opened

    def gone(place: Path) -> int:
        takes.append(place.name)
        if len(takes) == 1:
            raise FileExistsError(17, os.strerror(17), str(place.parent))
        return opened(place)

    monkeypatch.setattr(locks, "_opened", gone)
    with held(path) as hold:
        assert hold.free
        assert path.is_file()
    assert len(takes) == 2


def test_a_file_in_the_place_of_the_folder_is_told_by_whoever_writes(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with held(tmp_path / "out" / "lock") as hold:
        assert hold.free


def test_many_writers_one_by_one_never_meet(tmp_path: Path) -> None:
    code = """
import sys, time
from pathlib import Path
from duologue.core.errors import BusyError
from duologue.core.locks import writing_folder
out, done = Path(sys.argv[1]), 0
while done < 40:
    try:
        with writing_folder(out):
            (out / "mine").touch(exist_ok=False)
            (out / "mine").unlink()
            done += 1
    except BusyError:
        pass
"""
    crew = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "out")]) for _ in range(3)]
    assert [one.wait(timeout=60) for one in crew] == [0, 0, 0]


def test_where_the_disk_knows_no_locks_everyone_may_go_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(handle: int, how: int) -> None:
        raise OSError(95, os.strerror(95))

    monkeypatch.setattr("fcntl.flock", unknown)
    with writing_folder(tmp_path), writing_folder(tmp_path):
        assert (tmp_path / FOLDER_LOCK).exists()


def test_where_nothing_can_be_written_nothing_is_locked(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with writing_file(tmp_path / "file" / "x"), writing_folder(tmp_path / "file" / "x"):
        assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_place_without_a_name_is_locked_by_the_name_that_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    monkeypatch.chdir(out)
    with writing_file(Path()):
        with pytest.raises(BusyError), writing_file(out):
            pytest.fail("two write at once")
        assert not list(out.iterdir())
    asked: list[Path] = []

    def noted(path: Path) -> nullcontext[LockState]:
        asked.append(path)
        return nullcontext(LockState(free=True))

    monkeypatch.setattr(locks, "held", noted)
    with writing_file(Path("/")):  # nothing is written there
        assert asked == [Path("/", FOLDER_LOCK)]


def test_where_no_folder_can_be_nobody_is_said_to_write(tmp_path: Path) -> None:
    """A link to nowhere, or below one: that is for whoever writes to tell, and no other process is at work."""
    (tmp_path / "out").symlink_to(tmp_path / "gone" / "away")
    for folder in (tmp_path / "out", tmp_path / "out" / "deep"):
        with writing_folder(folder), writing_file(folder / "x"):
            assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_was_removed_under_the_process_is_no_other_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here").rmdir()
    with held(Path(".x.json.lock")) as hold:
        assert hold == LockState(free=True)
    with writing_file(Path("x.json")):
        assert not list(tmp_path.iterdir())


def test_of_a_command_two_hundred_signs_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for more, told in (
        (190, "duologue " + "a" * 190),
        (191, "duologue " + "a" * 191),
        (192, "duologue " + "a" * 191 + "…"),
    ):
        monkeypatch.setattr(sys, "argv", ["/usr/bin/duologue", "a" * more])
        with held(tmp_path / "lock"):
            assert f'"command":"{told}"' in (tmp_path / "lock").read_text(encoding="utf-8")


@pytest.mark.parametrize("times", [999, 1000])
def test_a_lock_file_that_vanishes_is_made_anew_up_to_a_thousand_times(
    times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vanished, real = list[Path](), locks._opened

    def opened(path: Path) -> int:
        if len(vanished) < times:
            vanished.append(path)
            raise FileNotFoundError(path)
        return real(path)

    monkeypatch.setattr(locks, "_opened", opened)
    path = tmp_path / "x.lock"
    handle, hold = locks._take(path)
    assert hold == LockState(free=True)  # where no lock can be had, writing itself says why
    assert (len(vanished), handle is not None, path.is_file()) == (times, times < 1000, times < 1000)
    if handle is not None:
        os.close(handle)


@pytest.mark.skipif(os.name != "posix", reason="there are no such rights")
def test_others_may_read_a_lock_file_and_not_write_it(tmp_path: Path) -> None:
    usual = os.umask(0)
    try:
        with held(tmp_path / "lock"):
            assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(usual)
