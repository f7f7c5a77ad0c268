from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from tests.subtitles import make_folder, make_tar

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command import Command


def test_an_archive_becomes_train_dev_and_eval(duologue: Command, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "xml")
    (folder / "1990/1000/broken.xml.gz").write_bytes(gzip.compress(b"<document>"))
    archive = make_tar(tmp_path / "en.tar.gz", folder)
    out = tmp_path / "out"
    words = ("data", "extract", "subtitles", archive, "--profile", "official", "--ratios", "0.9,0.1", "--out", out)
    done = duologue(*words, "--workers", "2", "--eval", "3")
    assert done.code == 0
    assert done.out.splitlines() == [
        f"collecting files from {archive}",
        "loading text from 13/13 files",
        "372 sentences loaded",
        f"writing 334 sentence pairs to {out / 'train.txt'}",
        f"writing 38 sentence pairs to {out / 'dev.txt'}",
    ]
    assert "left out OpenSubtitles2016/xml/en/1990/1000/broken.xml.gz: not well-formed XML" in done.err
    assert (out / "eval.txt").read_text().count("U: ") == 3
    train = (out / "train.txt").read_bytes()
    again = duologue(*words, "--workers", "1")
    assert again.code == 0
    assert (out / "train.txt").read_bytes() == train


def test_what_cannot_be_is_said_in_one_line(duologue: Command, tmp_path: Path) -> None:
    make_folder(tmp_path / "xml", 2)
    for ratios, message in (("a,b", "expected ratios such as 0.9,0.1, found 'a,b'"), ("0.9,0.2", "at most 1")):
        done = duologue("data", "extract", "subtitles", tmp_path / "xml", "--ratios", ratios, "--out", tmp_path / "out")
        assert done.code == 2
        assert message in done.err
    done = duologue("data", "extract", "subtitles", tmp_path / "no", "--out", tmp_path / "out")
    assert done.code == 1
    assert "there is no such file or folder" in done.err
