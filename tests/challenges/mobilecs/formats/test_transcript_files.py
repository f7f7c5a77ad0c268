from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from duologue.challenges.mobilecs.formats.transcript_files import transcript_files
from duologue.challenges.mobilecs.formats.transcripts import PackedTranscript, read_transcripts
from duologue.core import decompression
from duologue.core.errors import FormatError, UsageError


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
    assert [path.relative_to(folder).as_posix() for path in found if isinstance(path, Path)] == [
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


def zipped(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_an_archive_is_what_lies_in_it_and_ends_as_transcripts_do(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = {"b.txt": "客服: 您好\n用户: 喂\n", "a/三月.csv": "x", "__MACOSX/a/._三月.csv": "x", "a/call.mp3": "x"}
    archive = zipped(tmp_path / "march.zip", **files)
    found = transcript_files([archive], tmp_path / "out.json")
    assert all(isinstance(file, PackedTranscript) for file in found)
    assert [file.path.relative_to(archive).as_posix() for file in found if isinstance(file, PackedTranscript)] == [
        *("a/三月.csv", "b.txt")
    ]
    assert caplog.messages == [f"{archive}: 1 file left out, which end otherwise: .mp3"]
    assert read_transcripts(found[1])[0].turns == [("客服", "您好"), ("用户", "喂")]
    assert [path.name for path in tmp_path.iterdir()] == ["march.zip"]


def test_an_archive_that_is_no_folder_of_transcripts_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.json"

    def refused(**files: str) -> str:
        with pytest.raises((UsageError, FormatError)) as told:
            transcript_files([zipped(tmp_path / "a.zip", **files)], out)
        return str(told.value)

    assert "holds no transcripts; expected files that end in .txt, .csv" in refused(readme="x")
    assert "holds more/b.zip, which is packed once more; unpack that" in refused(**{"a.txt": "x", "more/b.zip": "x"})
    assert "holds a.txt.gz, which is packed once more; unpack that" in refused(**{"a.txt.gz": "x"})
    assert "b.json and b.txt look like one transcript in two forms" in refused(**{"b.txt": "x", "b.json": "x"})
    assert "leads out of the archive" in refused(**{"../a.txt": "x"})
    monkeypatch.setattr(decompression, "FREE", 1 << 10)
    assert "times its packed size" in refused(**{"a.txt": "x" * (1 << 20)})
    monkeypatch.undo()
    archive = zipped(tmp_path / "a.zip", **{"a.txt": "x"})
    with pytest.raises(UsageError, match=r"a\.zip/a\.txt is given twice"):
        transcript_files([archive, archive], out)
    archive.write_bytes(archive.read_bytes().replace(b"PK\1\2\x14\x03\x14\0\0", b"PK\1\2\x14\x03\x14\0\1"))
    with pytest.raises(FormatError, match="is encrypted"):
        transcript_files([archive], out)


def test_a_workbook_is_no_archive_of_transcripts(tmp_path: Path) -> None:
    workbook = zipped(tmp_path / "calls.xlsx", **{"xl/sheet.txt": "x"})
    assert transcript_files([workbook], tmp_path / "out.json") == [workbook]
