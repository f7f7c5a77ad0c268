"""Folders that somebody can have meant are listed; the whole disk is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from duologue.core.errors import StorageError
from duologue.core.folder_files import all_files, is_file_below, lies_below


def test_files_are_listed_in_order_and_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    for name in ("b/c.json", "a.json", ".hidden/d.json"):
        path = tmp_path / "given" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "given/up").symlink_to(tmp_path)
    found = all_files(tmp_path / "given")
    assert [str(path.relative_to(tmp_path / "given")) for path in found] == [".hidden/d.json", "a.json", "b/c.json"]


def test_a_folder_with_far_too_many_files_is_refused(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.json").touch()
    assert len(all_files(tmp_path, limit=6)) == 6
    with pytest.raises(StorageError, match="holds more than 5 files and folders, far more than are expected in it"):
        all_files(tmp_path, limit=5)


def test_a_file_below_a_folder_is_a_regular_one_wherever_links_lead(tmp_path: Path) -> None:
    folder = tmp_path / "given"
    (folder / "deep").mkdir(parents=True)
    for path in (folder / "deep/a.json", tmp_path / "beside.json"):
        path.touch()
    for name, target in (("same", "deep/a.json"), ("out", "../beside.json"), ("ring", "ring"), ("null", os.devnull)):
        (folder / name).symlink_to(target)
    files = ("deep/a.json", "same")
    assert [name for name in files if not is_file_below(folder / name, folder)] == []
    others = ("deep", "../beside.json", "out", "ring", "null", "none.json", "a\0")
    assert [name for name in others if is_file_below(folder / name, folder)] == []


def test_a_hundred_thousand_files_and_folders_are_the_most(monkeypatch: pytest.MonkeyPatch) -> None:
    for more, refused in (([], False), (["one more"], True)):
        walked = [("a", ["b"] * 50, ["c"] * 49_950), ("a/b", more, ["d"] * 50_000)]
        monkeypatch.setattr(os, "walk", lambda _, walked=walked: iter(walked))
        if refused:
            with pytest.raises(StorageError, match="a holds more than 100,000 files and folders"):
                all_files(Path("a"))
        else:
            assert len(all_files(Path("a"))) == 99_950


def test_a_name_that_no_file_can_have_leads_nowhere(tmp_path: Path) -> None:
    for name in ("a\0", "\ud800", "x" * 100_000):
        assert not lies_below(tmp_path / name, tmp_path / "given")
        assert not is_file_below(tmp_path / name, tmp_path)
    assert not lies_below(tmp_path / "a\0", tmp_path)
    assert lies_below(tmp_path / "a", tmp_path)
