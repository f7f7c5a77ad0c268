"""Subtitle files of our own making, in OPUS's layout, and archives of them."""

from __future__ import annotations

import gzip
import random
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

WORDS = (
    "the",
    "you",
    "i",
    "it",
    "and",
    "that",
    "what",
    "we",
    "not",
    "go",
    "here",
    "out",
    "up",
    "right",
    "about",
    "now",
)


def xml_of(sentences: Sequence[Sequence[str]]) -> str:
    """Return a file with these sentences, given as words."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>\n<document id="7">\n']
    for s, words in enumerate(sentences, 1):
        lines.append(f'  <s id="{s}">\n    <time id="T{s}S" value="00:00:01,000" />\n')
        lines += [f'    <w id="{s}.{k}">{escape(word)}</w>\n' for k, word in enumerate(words, 1)]
        lines.append(f'    <time id="T{s}E" value="00:00:02,900" />\n  </s>\n')
    return "".join(lines) + "</document>\n"


def random_xml(seed: int, sentences: int = 30) -> str:
    """Return a file with sentences drawn from a few words."""
    rng = random.Random(seed)
    return xml_of(
        [[*(rng.choice(WORDS) for _ in range(rng.randrange(1, 24))), rng.choice(".?!")] for _ in range(sentences)]
    )


def make_folder(folder: Path, files: int = 12) -> Path:
    """Write files in folders of years and movies; some movies have two."""
    for number in range(files):
        path = folder / str(1990 + number % 3) / str(1000 + number // 2) / f"{70000 + number}.xml.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(random_xml(number).encode(), mtime=0))
    return folder


def make_tar(path: Path, folder: Path, *, backwards: bool = False, mode: str = "w:gz") -> Path:
    """Write the files of a folder into a tar archive, as the 2016 release has them."""
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]  # the mode is one of the literals
        for file in sorted(folder.rglob("*.xml.gz"), reverse=backwards):
            tar.add(file, Path("OpenSubtitles2016/xml/en") / file.relative_to(folder))
    return path


def make_zip(path: Path, folder: Path) -> Path:
    """Write the files of a folder into a zip archive, not packed themselves, as the 2018 release has them."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*.xml.gz"), reverse=True):
            name = Path("OpenSubtitles/xml/en") / file.relative_to(folder).with_suffix("")
            archive.writestr(name.as_posix(), gzip.decompress(file.read_bytes()))
    return path
