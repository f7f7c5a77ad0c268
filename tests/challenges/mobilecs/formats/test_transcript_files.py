from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.mobilecs.formats.transcript_files import transcript_files
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.srt", "a.txt", "sub/a.TXT.gz", "sub/deep/c.vtt", "d.csv", ".hidden.txt", ".git/x.txt"):
        path = tmp_path / "calls" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")
    return tmp_path / "calls"


def test_a_folder_is_what_lies_below_it_and_ends_as_transcripts_do(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("call.mp3", "call2.mp3", "README"):
        (folder / name).touch()
    found = transcript_files([folder], folder.with_name("out.json"))
    assert [path.relative_to(folder).as_posix() for path in found] == [
        *("a.txt", "b.srt", "d.csv", "sub/a.TXT.gz", "sub/deep/c.vtt")
    ]
    assert caplog.messages == [f"{folder}: 3 files left out, which end otherwise: .mp3, README"]


def test_files_stay_as_they_are_given(folder: Path) -> None:
    other = folder / "notes.log"
    other.touch()
    given = [folder / "d.csv", folder / "a.txt", other]
    assert transcript_files(given, folder / "out.json") == given


def test_what_would_be_counted_twice_is_refused(folder: Path) -> None:
    out = folder.with_name("out.json")
    with pytest.raises(UsageError, match=r"a\.txt is given twice"):
        transcript_files([folder / "a.txt", folder / "sub" / ".." / "a.txt"], out)
    with pytest.raises(UsageError, match=r"a\.txt is given twice"):
        transcript_files([folder, folder / "a.txt"], out)
    (folder / "b.json").touch()
    with pytest.raises(UsageError, match=r"b\.json and b\.srt look like one transcript in two forms"):
        transcript_files([folder], out)


def test_what_is_written_lies_in_no_folder_that_is_read(folder: Path) -> None:
    with pytest.raises(UsageError, match="choose an --out elsewhere"):
        transcript_files([folder], folder / "sub" / "out.json")


def test_a_folder_without_transcripts_is_told(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(UsageError, match=r"holds no transcripts; expected files that end in \.txt, \.csv"):
        transcript_files([tmp_path / "in"], tmp_path / "out.json")
