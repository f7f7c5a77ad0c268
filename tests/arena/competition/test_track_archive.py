"""A track in one archive."""

from __future__ import annotations

import pytest

from duologue.arena.competition.track_archive import read_archive
from duologue.core.errors import NoSpaceError, UsageError
from tests.arena.finals.service import TRACK, archive
from tests.full_disk import files_up_to


@pytest.mark.parametrize("folder", ["", "service/"])
def test_it_is_read_with_all_that_its_file_names(folder: str) -> None:
    found = read_archive(archive(folder=folder))
    assert found.definition.name == "service"
    assert [(one.phase, one.role, one.name) for one in found.files] == [("test", "gold", "truth.txt")]


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        (b"name = 1", "no .zip"),
        (archive(folder="a/b/"), "holds 0 files TRACK.toml"),
        (archive(TRACK.replace("truth.txt", "other.txt")), "no gold file 'other.txt'"),
        (archive(TRACK.replace("truth.txt", "../../x")), "lies outside"),
        (archive(TRACK.replace("conversation", "nothing")), "nothing"),
    ],
)
def test_what_is_wrong_is_told_without_folders_of_this_machine(data: bytes, wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong) as told:
        read_archive(data)
    assert "/tmp" not in str(told.value)


def test_a_full_disk_is_no_fault_of_the_archive() -> None:
    with files_up_to(10), pytest.raises(NoSpaceError):
        read_archive(archive())
