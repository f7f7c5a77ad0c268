"""Dialogue text of your own becomes an archive in the layout of OpenSubtitles: what the pilot task learns from.

    python docs/examples/subtitle_archive.py TEXT.txt en.tar.gz
    duologue data extract subtitles en.tar.gz --ratios 0.8,0.1,0.1 --eval --out subtitles

TEXT has an utterance per line and an empty line after each dialogue (`-`: standard input); marks of speakers (`U: `,
`S: `) are left out, as subtitles have none. A dialogue becomes a film: its sentences follow each other, cut into words
as OPUS cut those of 2016, with apostrophes by themselves. Mind the licence of the text before handing the archive on.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
import tarfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[^\W_])")
WORD = re.compile(r"\d+(?:[.,:/-]\d+)+|[^\W_]+|\.{2,}|!{2,}|\S")
SPEAKER = re.compile(r"^[US]:(?:\s|$)")


def dialogues(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the utterances of each dialogue, without speakers."""
    found: list[str] = []
    for line in lines:
        text = SPEAKER.sub("", line.strip()).strip()
        if text:
            found.append(text)
        elif not line.strip() and found:
            yield found
            found = []
    if found:
        yield found


def document(number: int, utterances: Iterable[str]) -> str:
    """Return a subtitle file with the sentences of a dialogue, three seconds each.

    >>> document(7, ["It's late. Go!"]).count("<w ")
    7
    """
    lines = [f'<?xml version="1.0" encoding="utf-8"?>\n<document id="{number}">\n']
    sentences = [sentence for one in utterances for sentence in SENTENCE_END.split(one)]
    for s, sentence in enumerate(sentences, 1):
        lines.append(f'  <s id="{s}">\n    <time id="T{s}S" value="{_clock(3 * s)},000" />\n')
        lines += [f'    <w id="{s}.{k}">{escape(word)}</w>\n' for k, word in enumerate(WORD.findall(sentence), 1)]
        lines.append(f'    <time id="T{s}E" value="{_clock(3 * s + 2)},500" />\n  </s>\n')
    return "".join(lines) + "</document>\n"


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def write(films: Iterable[list[str]], path: Path) -> int:
    """Write an archive with a packed file for each film, and return their number; the same films, the same bytes."""
    number = 0
    with (
        path.open("wb") as raw,
        gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|") as archive,
    ):
        for number, film in enumerate(films, 1):
            data = gzip.compress(document(number, film).encode(), mtime=0)
            name = f"OpenSubtitles2016/xml/en/{1950 + number % 66}/{1000 + number}/{70000 + number}.xml.gz"
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, BytesIO(data))
    return number


def main() -> None:
    """Read the arguments and write the archive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", help="dialogue text, or - for standard input")
    parser.add_argument("archive", type=Path, help="the .tar.gz that is written")
    given = parser.parse_args()
    text = sys.stdin.read() if given.text == "-" else Path(given.text).read_text(encoding="utf-8")
    number = write(dialogues(text.splitlines()), given.archive)
    print(f"{given.archive}: {number:,} films")


if __name__ == "__main__":
    main()
