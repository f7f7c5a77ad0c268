"""Chinese word segmentation of live input, and its inverse for display."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.proactive.knowledge import facts_of
from duologue.core.records import Goal, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from duologue.core.records import Sample

_CJK = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_BETWEEN = re.compile(rf"(?<=[{_CJK}]) (?=\S)|(?<=\S) (?=[{_CJK}])")
_PIECE = re.compile(rf"[A-Za-z]+(?:['-][A-Za-z]+)*|\d+(?:\.\d+)*|[{_CJK}]|\S")


def joined(text: str) -> str:
    """Remove the spaces next to Chinese characters from segmented text.

    >>> joined("看 过 Batman Begins 吗 ？")
    '看过Batman Begins吗？'
    """
    return _BETWEEN.sub("", text)


def segmented(text: str, names: Iterable[str]) -> str:
    """Segment a text into words separated by single spaces, as the data is.

    Text with spaces between Chinese characters counts as segmented. `names` (segmented cells of the knowledge) keep
    their segmentation; the rest is segmented by `rjieba` if it is installed (extra `zh`), else into characters.
    """
    if _BETWEEN.search(text):
        return " ".join(text.split())
    cut_as = {"".join(name.split()): name.split() for name in names}
    known = sorted((plain for plain in cut_as if len(plain) > 1), key=lambda plain: (-len(plain), plain))
    found = re.compile("|".join(map(re.escape, known)) or r"(?!)")  # longest match first
    pieces: list[str] = []
    for part in text.split():
        end = 0
        for match in found.finditer(part):
            pieces += [*_words(part[end : match.start()]), *cut_as[match[0]]]
            end = match.end()
        pieces += _words(part[end:])
    return " ".join(pieces)


def segmented_sample(sample: Sample) -> Sample:
    """Return a sample with its history segmented; the words of goal and knowledge keep their segmentation."""
    goal = sample.goal or Goal()
    names = [
        *goal.topics,
        *(cell for one in facts_of(goal, sample.knowledge) for cell in (one.subject, str(one.object))),
    ]
    history = tuple(Turn(speaker=turn.speaker, text=segmented(turn.text, names)) for turn in sample.history)
    return msgspec.structs.replace(sample, history=history)


def _words(text: str) -> list[str]:
    """Return the words of a text without spaces; none for an empty text."""
    return [word for word in _segmenter()(text) if word.strip()] if text else []


def _segmenter() -> Callable[[str], Iterable[str]]:
    try:
        return importlib.import_module("rjieba").cut  # type: ignore[no-any-return]  # a library without types
    except ModuleNotFoundError:
        return _PIECE.findall
