"""Subtitles of calls, SubRip (.srt) and WebVTT (.vtt): a call in each file, its speakers named in the cues.

A speaker stands before a colon or in a voice tag, `<v Agent>`; a cue that names none goes on with the one before.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.formats.transcript_lines import said_in
from duologue.challenges.mobilecs.formats.transcript_order import Start, start_of
from duologue.challenges.mobilecs.formats.transcript_rows import SaidRows, plain_speaker
from duologue.core.decoded import shown
from duologue.core.lines import cut
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from duologue.challenges.mobilecs.formats.transcript_order import Turn
    from duologue.challenges.mobilecs.formats.transcript_rows import Told
    from duologue.core.problems import ProblemCollector

SUFFIXES = (".srt", ".vtt")
_HEAD = "WEBVTT"
_ARROW = "-->"
_NO_CUES = ("NOTE", "STYLE", "REGION", "X-TIMESTAMP-MAP")
"""How blocks of WebVTT begin that are said by nobody."""
_FIRST_LINES = 5
_MOMENT = r"\d{1,3}(?::\d\d){1,2}(?:[.,]\d{1,3})?"
_TIMES = re.compile(rf"({_MOMENT})\s?{_ARROW}\s?{_MOMENT}(?:\s.*)?")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s([^<>]*)>|</v>")
_TAG = re.compile(r"</?(?:c|v|rt|ruby|lang|[ibusIBUS]|font|FONT)(?:[.\s][^<>]*)?>|<\d{1,3}:[\d:.,]*>|\{\\[^{}]*\}")
_ESCAPED = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]{2,8});")
_DASH = re.compile(r"\s*[-–—]\s*|\s*>>\s*")


class _Cue(NamedTuple):
    """What is shown for a while."""

    line: int
    """Number of its first line of words."""
    start: Start
    lines: list[str]


def are_cues(text: str) -> bool:
    r"""Tell whether a text is subtitles, whatever its file is called.

    >>> are_cues("WEBVTT"), are_cues("1\n00:01,0 --> 00:02,0\n您好"), are_cues("客服: 您好")
    (True, True, False)
    """
    head = text[:1000].lstrip()
    return head.startswith(_HEAD) or any(_TIMES.fullmatch(line.strip()) for line in cut(head)[:_FIRST_LINES])


def cue_calls(text: str, path: Path, problems: ProblemCollector) -> Told:
    """Yield the call of a file of subtitles."""
    said = SaidRows(path)
    speaker = ""
    nameless: list[tuple[int, str]] = []
    for cue in _cues(text, problems):
        for named, words in _voices(cue.lines):
            speaker = named or speaker
            if speaker:
                said.add("", "", [(speaker, words)], cue.start)
            elif words.strip():
                nameless.append((cue.line, words))
    if nameless:
        line, words = nameless[0]
        more = f" and {len(nameless) - 1:,} more" if len(nameless) > 1 else ""
        problems.add(
            Problem(
                rule="transcript-speaker",
                place=f"line {line}{more}",
                message=f"found {shown(words.strip())}, expected a speaker before the first words of a call",
                advice="write `<v Agent>hello` or `客服: 您好` in the cues",
                stands_for=len(nameless),
            )
        )
    yield from said.calls(problems)


def _cues(text: str, problems: ProblemCollector) -> Iterator[_Cue]:
    """Yield the cues in their order; problems for words without a time."""
    for begun, block in _blocks(cut(text)):
        times = next((at for at, line in enumerate(block[:2]) if _ARROW in line), None)
        found = None if times is None else _TIMES.fullmatch(block[times].strip())
        if times is not None and found is not None:
            yield _Cue(begun + times + 1, start_of(found[1]), block[times + 1 :])
        elif times is not None or not block[0].lstrip().startswith((_HEAD, *_NO_CUES)):
            problems.add(
                Problem(
                    rule="transcript-cue",
                    place=f"line {begun + (times or 0)}",
                    message=f"found {shown(block[times or 0])}, expected the time of a cue",
                    advice="write `00:00:01,000 --> 00:00:04,000` above its words, and no empty line amid them",
                )
            )


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield what stands between empty lines, with the number of its first line; a time begins a block, too."""
    block: list[str] = []
    begun = 1
    for number, line in enumerate([*lines, ""], start=1):
        if _ARROW in line and any(_ARROW in one for one in block[:2]):
            name = [block.pop()] if block[-1].strip().isdecimal() and _ARROW not in block[-1] else []
            yield begun, block
            block, begun = name, number - len(name)
        if line.strip():
            block.append(line)
            continue
        if block:
            yield begun, block
        block, begun = [], number + 1


def _voices(lines: Sequence[str]) -> Iterator[Turn]:
    """Yield what is said in a cue, with the speakers; an empty one where none is named."""
    words = "\n".join(lines)
    place, voice = 0, ""
    for tag in _VOICE.finditer(words):
        yield from _labelled(words[place : tag.start()], voice)
        place, voice = tag.end(), plain_speaker(_plain(tag[1])) if tag[1] else ""
    yield from _labelled(words[place:], voice)


def _labelled(words: str, voice: str) -> Iterator[Turn]:
    """Yield each line of a piece, with the voice that says it or the speaker before a colon."""
    for line in cut(_TAG.sub("", words)):
        if not line.strip():
            continue
        dash = _DASH.match(line)
        said = None if voice else said_in(_plain(line[dash.end() :] if dash is not None else line))
        yield said if said is not None else (voice, _plain(line))


def _plain(words: str) -> str:
    """Return words without escapes.

    >>> _plain("a &lt;b&gt; &amp; c &copy d")
    'a <b> & c &copy d'
    """
    return _ESCAPED.sub(lambda found: html.unescape(found[0]), words)
