"""The pilot task on text of known licence: the archive that stands for subtitles, and the script that scores on it."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from duologue.challenges.conversation.extraction.subtitles.cleaner import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
ARCHIVER = ROOT / "docs" / "examples" / "subtitle_archive.py"
SCRIPT = ROOT / "benchmarks" / "conversation_pilot.py"
THINGS = ("parcel", "router", "ticket", "invoice", "seat", "meal", "phone", "card", "room", "coat", "lamp", "book")


def archived(text: str, folder: Path, name: str = "en.tar.gz") -> Path:
    (folder / "text.txt").write_text(text, encoding="utf-8")
    command = list(map(str, (sys.executable, ARCHIVER, folder / "text.txt", folder / name)))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return folder / name


def films(archive: Path) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield name and sentences, as words, of each file."""
    with tarfile.open(archive) as members:
        for member in members:
            packed = members.extractfile(member)
            assert packed is not None
            root = ET.fromstring(gzip.decompress(packed.read()))
            yield member.name, [[word.text or "" for word in s.iter("w")] for s in root.iter("s")]


def test_a_dialogue_becomes_a_film_of_sentences_without_speakers(tmp_path: Path) -> None:
    archive = archived("U: It's late. Isn't it?\nS: <USER> & I know...\n\nSecond film\n", tmp_path)
    found = list(films(archive))
    assert [name for name, _ in found] == [
        "OpenSubtitles2016/xml/en/1951/1001/70001.xml.gz",
        "OpenSubtitles2016/xml/en/1952/1002/70002.xml.gz",
    ]
    assert found[0][1] == [
        ["It", "'", "s", "late", "."],
        ["Isn", "'", "t", "it", "?"],
        ["<", "USER", ">", "&", "I", "know", "..."],
    ]
    assert found[1][1] == [["Second", "film"]]
    assert [clean(" " + " ".join(words)) for words in found[0][1][:2]] == ["it 's late .", "isn 't it ?"]


def test_the_same_text_gives_the_same_archive(tmp_path: Path) -> None:
    first, second = (archived("one two .\n\nthree\n", tmp_path, name).read_bytes() for name in ("a.tar.gz", "b.tar.gz"))
    assert first == second


@pytest.mark.slow
def test_the_script_goes_from_the_archive_to_scores_on_three_splits(tmp_path: Path) -> None:
    pytest.importorskip("tantivy", reason="the retriever's engine is optional")
    rng = random.Random(1)
    (tmp_path / "data" / "sgd_text").mkdir(parents=True)
    with gzip.open(tmp_path / "data" / "sgd_text" / "train.jsonl.gz", "wt", encoding="utf-8") as out:
        for _ in range(60):
            things = [rng.choice(THINGS) for _ in range(8)]
            turns = [["US"[n % 2], f"Is the {one} here, number {rng.randrange(99)}?"] for n, one in enumerate(things)]
            out.write(json.dumps({"turns": turns}) + "\n")
    page = tmp_path / "PAGE.md"
    command = [sys.executable, SCRIPT, "--data", tmp_path / "data", "--work", tmp_path / "work", "--out", page]
    words = [*command, "--only", "services", "--samples", "12"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    text = page.read_text(encoding="utf-8")
    for heading in (
        "services: test",
        "services: dev",
        "services: train",
        "dev of the official profile",
        "Paired tests",
    ):
        assert heading in text
    for row in ("constant", "central", "drawn", "nearest", "retriever", "copy"):
        assert text.count(f"\n| {row} |") >= 3
    assert "| services | by-movie | test | copy | retriever | rouge-l |" in text
    assert "parcel" not in text
    costs = (tmp_path / "work" / "services" / "by-movie" / "copy.costs").read_bytes()
    subprocess.run(list(map(str, words)), capture_output=True, check=True)
    assert page.read_text(encoding="utf-8") == text
    assert (tmp_path / "work" / "services" / "by-movie" / "copy.costs").read_bytes() == costs
