"""Transcripts as text: `speaker: utterance`, a line each, and an empty line or one of signs alone between calls.

A time before the speaker is left out. A line without a speaker goes on with the utterance before; one such as
`通话编号: 7` stands above a call.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.formats.transcript_rows import plain_name, plain_speaker
from duologue.challenges.mobilecs.formats.transcript_words import CALLS, HEADS, STARTS
from duologue.core.decoded import shown
from duologue.core.lines import cut
from duologue.core.records import Problem

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.formats.transcript_order import Turn
    from duologue.challenges.mobilecs.formats.transcript_rows import Told
    from duologue.core.problems import ProblemCollector

_DATE = r"\d{4}[\-/.年]\d{1,2}[\-/.月]\d{1,2}日?[ T]{1,2}\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?"
_TIME = (
    r"(?:[\[(【（]?" + _DATE + r"[\])】）]?|[\[(【（]\d{1,3}(?::\d\d){1,2}(?:[.,]\d+)?[\])】）]|"
    r"\d{1,3}:\d\d:\d\d(?:[.,]\d+)?)"
)
_SAID = re.compile(rf"\s*(?:{_TIME}\s*)?([^:：\s](?:[^:：]{{0,38}}[^:：\s])?)\s*[:：](?!//)\s*(.*)")
_NUMBER = re.compile(r"[\d.,\s]+")
_HOUR = re.compile(r"(?:.*[\sT\])】）])?(?:[01]?\d|2[0-3])")
_MINUTES = re.compile(r"[0-5]\d(?!\d).*")
_PARTED = re.compile(r"\s*([=\-_*#~─—])\1{2,}\s*")
_ABOVE = frozenset((*CALLS, *STARTS, *HEADS))
"""Names of what stands above a call."""


def said_in(line: str) -> Turn | None:
    """Return the speaker whom a line names and what follows the colon; `None` where it names none.

    A colon between hour and minutes is none behind a speaker.

    >>> said_in("[00:01] 客服：您好"), said_in("10:30 打过"), said_in("http://a.example")
    (('客服', '您好'), None, None)
    """
    found = _SAID.fullmatch(line)
    if found is None or _NUMBER.fullmatch(found[1]):
        return None
    if _HOUR.fullmatch(found[1]) and _MINUTES.match(line, found.start(2)) and line[found.start(2) - 1] in ":：":
        return None
    return plain_speaker(found[1]), found[2]


def parts_calls(line: str, *, begun: bool) -> bool:
    """Tell whether a line of signs, or one that stands above a call, ends what came before.

    `begun`: something is said in a call; then a time is what is said as well.
    """
    said = said_in(line)
    above = said is not None and plain_name(said[0]) in _ABOVE and (not begun or plain_name(said[0]) in CALLS)
    return above or _PARTED.fullmatch(line) is not None


def text_calls(text: str, problems: ProblemCollector) -> Told:
    """Yield the calls of a text with their places."""
    turns: list[Turn] = []
    begun = 1
    for number, line in enumerate([*cut(text), ""], start=1):
        said = said_in(line)
        if not line.strip() or parts_calls(line, begun=bool(turns)):
            if turns:
                yield f"call at line {begun}", turns
            turns, begun = [], number + 1
        elif said is not None:
            turns.append(said)
        elif turns:
            turns.append((turns[-1][0], line))
        else:
            problems.add(
                Problem(
                    rule="transcript-speaker",
                    place=f"line {number}",
                    message=f"found {shown(line)}, expected a speaker and a colon before the first words of a call",
                    advice="write lines such as `客服: 您好`, with an empty line between calls",
                )
            )
