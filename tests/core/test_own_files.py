from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import UsageError
from duologue.core.own_files import NOTE, files_below, note_files, own_files, strangers

if TYPE_CHECKING:
    from pathlib import Path


def test_what_was_written_before_is_replaced_and_what_was_not_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for text in ("one", "two"):
        with own_files(out, [out / "a" / "b.txt"]):
            (out / "a").mkdir(exist_ok=True)
            (out / "a" / "b.txt").write_text(text)
    (out / "a" / "b.txt").write_text("three")
    with pytest.raises(UsageError, match=r"did not write, or not so \(a/b.txt\)"), own_files(out, [out / "a/b.txt"]):
        raise AssertionError
    with own_files(out, [out / "c.txt"]):
        pass
    assert (out / "a" / "b.txt").read_text() == "three"
    assert strangers(out) == ["a/b.txt"]


def test_what_a_killed_run_was_writing_is_its_own(tmp_path: Path) -> None:
    block = own_files(tmp_path, [tmp_path / "a.txt"])
    block.__enter__()
    (tmp_path / "a.txt").write_text("half")
    with own_files(tmp_path, [tmp_path / "a.txt"]):
        (tmp_path / "a.txt").write_text("whole")
    assert strangers(tmp_path) == []


def test_a_run_that_fails_leaves_no_note_where_it_wrote_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no"), own_files(tmp_path, [tmp_path / "a.txt"]):
        raise ValueError("no")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("note", ["", "[]", '{"files": []}', '{"files": {"a.txt": 3}}', "{"])
def test_a_note_that_is_none_vouches_for_nothing(tmp_path: Path, note: str) -> None:
    (tmp_path / NOTE).write_text(note)
    (tmp_path / "a.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"\(a.txt\)"), own_files(tmp_path, [tmp_path / "a.txt"]):
        raise AssertionError


def test_empty_files_hold_nothing_and_all_files_can_be_noted(tmp_path: Path) -> None:
    assert strangers(tmp_path) is None
    (tmp_path / "a.txt").touch()
    with own_files(tmp_path, [tmp_path / "a.txt"]):
        (tmp_path / "a.txt").write_text("ours")
    (tmp_path / "b.txt").write_text("theirs")
    (tmp_path / ".DS_Store").write_text("where icons lie")
    assert strangers(tmp_path) == ["b.txt"]
    note_files(tmp_path, files_below(tmp_path))
    assert strangers(tmp_path) == []
