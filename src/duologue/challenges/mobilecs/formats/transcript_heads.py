"""Transcripts as text whose speakers stand on lines of their own, above what they say: `张三 10:02`, then `你好`.

So chats and recognisers write them. A head is a name with a time behind or before it, or one of the usual words for a
role alone; what the first line is, all heads are. Whatever else stands in a line is said.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.formats.transcript_lines import parts_calls, said_in
from duologue.challenges.mobilecs.formats.transcript_rows import plain_speaker
from duologue.challenges.mobilecs.formats.transcript_words import CUSTOMER, STAFF
from duologue.core.lines import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.formats.transcript_order import Turn

_DAY = r"(?:\d{4}[-/.年])?\d{1,2}[-/.月]\d{1,2}日?"
_CLOCK = r"(?:[上下中]午|凌晨|早上|晚上)? ?\d{1,3}(?::\d\d){1,2}(?:[.,]\d{1,6})?(?: ?[AaPp][Mm])?"
_WHEN = rf"[\[(【（]?(?:{_DAY}[ T,]{{0,2}})?{_CLOCK}[\])】）]?"
_WORDS = STAFF | CUSTOMER
_ROLES = "|".join(map(re.escape, sorted(word for word in _WORDS if len(word) > 1)))
_FORMS = (
    re.compile(rf"(?P<name>[^:：]{{1,40}}?)(?: |(?=[\[(【（])){_WHEN}[:：]?"),
    re.compile(rf"{_WHEN} ?(?P<name>[^:：]{{1,40}})"),
    re.compile(rf"(?P<name>[\[(【（]?(?:{_ROLES})[\])】）]?)", re.IGNORECASE),
)
"""How heads are written: name and time, time and name, a role alone."""
_LONGEST = 100
_FEWEST = 2
"""Speakers; a name with a time above all that is said may be a title."""
_NUMBER = re.compile(r"[\d.,/\- ]+")


class _Part(NamedTuple):
    """What a speaker says below one head."""

    speaker: str
    line: int
    """Of the head."""
    apart: int
    """Empty lines above it."""
    words: list[str]


def headed_calls(text: str) -> list[tuple[str, list[Turn]]] | None:
    """Return the calls of a text with their places; `None` where its speakers do not stand above what they say.

    Calls are parted as in other texts, but by empty lines only where some heads have more of them above than others.
    """
    lines = cut(text)
    parts = _parts(lines)
    heads = [one for one in parts or () if one is not None]
    speakers = {one.speaker for one in heads}
    if parts is None or len(speakers) < _FEWEST or 2 * sum(bool(one.words) for one in heads) < len(heads):
        return None
    usual = min((one.apart for before, one in pairwise(parts) if before and one), default=0)
    calls: list[list[_Part]] = [[]]
    for one in parts:
        if calls[-1] and (one is None or one.apart > usual):
            calls.append([])
        if one is not None:
            calls[-1].append(one)
    return [
        (f"call at line {call[0].line}", [(one.speaker, "\n".join(one.words)) for one in call])
        for call in calls
        if call
    ]


def _parts(lines: Sequence[str]) -> list[_Part | None] | None:
    """Return what is said below each head, and `None` for lines that part calls; `None` for a text of another form."""
    parts: list[_Part | None] = []
    form, apart = None, 0
    for number, line in enumerate(lines, start=1):
        last = parts[-1] if parts else None
        if not line.strip():
            apart += 1
            continue
        form = form or next((one for one in _FORMS if _named(one, line)), None)
        name = form and _named(form, line)
        if name:
            parts.append(_Part(name, number, apart, []))
        elif parts_calls(line, begun=last is not None):
            parts.append(None)
        elif last is None or _names_a_role(line):
            return None
        else:
            last.words.append(line)
        apart = 0
    return parts


def _named(form: re.Pattern[str], line: str) -> str:
    """Return whom a head names; empty for a line that is none."""
    plain = " ".join(line[: _LONGEST + 1].split())
    found = form.fullmatch(plain) if len(line) <= _LONGEST else None
    return "" if found is None or _NUMBER.fullmatch(found["name"]) else plain_speaker(found["name"])


def _names_a_role(line: str) -> bool:
    said = said_in(line)
    return said is not None and said[0].lower() in _WORDS
