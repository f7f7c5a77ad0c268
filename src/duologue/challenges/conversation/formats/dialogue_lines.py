"""Lines of dialogue files: speaker marks, dialogues as blocks, and detection of the layout."""

from __future__ import annotations

import json
from itertools import dropwhile
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OUTPUT = "conversation-output"
"""`Submission.layout` of system output with `S_HYP:` lines; `rows` are the `Lines` of the file."""
REPLIES = "conversation-replies"
"""`Submission.layout` of one reply per line; `rows` are the `Lines` of the file."""

REFERENCE, HYPOTHESIS = "S_REF:", "S_HYP:"
HIDDEN = ("", "__UNDISCLOSED__", "__MISSING__")
"""Placeholders of a hidden or missing reference."""

LOOKED_AT = 1 << 20
"""Number of characters inspected for detecting JSON."""
_TOKEN = 16
"""A JSON error this close to the end of a truncated text may be due to the truncation."""

SPEAKERS = {"U:": "user", "S:": "system"}
MARKS = {role: mark for mark, role in SPEAKERS.items()}


class DialogueLine(NamedTuple):
    """A line of a dialogue file."""

    number: int
    """From 1."""
    mark: str
    """`U:`, `S:`, `S_REF:`, `S_HYP:`, or `""` for a line without a known mark."""
    text: str
    """What follows the mark and one space; the whole line where there is no mark."""
    raw: str


def parse_line(raw: str, number: int) -> DialogueLine:
    """Parse a line; its mark must be at the very start, and need not be followed by a space."""
    for mark in (HYPOTHESIS, REFERENCE):
        if raw.startswith(mark):
            return DialogueLine(number, mark, raw.removeprefix(mark).removeprefix(" "), raw)
    mark = raw[:2]
    if mark in SPEAKERS and (len(raw) == 2 or raw[2].isspace()):
        return DialogueLine(number, mark, raw[2:].removeprefix(" "), raw)
    return DialogueLine(number, "", raw, raw)


def blocks_of(lines: Iterable[str]) -> Iterator[list[DialogueLine]]:
    """Yield the dialogues of a file, separated by blank lines."""
    block: list[DialogueLine] = []
    for number, raw in enumerate(lines, start=1):
        if raw and not raw.isspace():
            block.append(parse_line(raw, number))
        elif block:
            yield block
            block = []
    if block:
        yield block


def layout_of(lines: Iterable[str]) -> str:
    """Detect the layout of a file.

    `OUTPUT` where any line has a mark of system output, `"dialogues"` where the first line that is not empty has
    a speaker, else `REPLIES`.
    """
    first = ""
    for line in lines:
        if line.startswith((HYPOTHESIS, REFERENCE)):
            return OUTPUT
        if not first and not line.isspace():
            first = line
    return "dialogues" if parse_line(first, 1).mark else REPLIES


def foreign(lines: Iterable[str]) -> Problem | None:
    """Return the problem of a file that is JSON, such as an account store or id list.

    Of a long file its first `LOOKED_AT` characters are looked at.
    """
    start: list[str] = []
    size = 0
    for line in dropwhile(str.isspace, filter(None, lines)):
        if not start and not line.lstrip().startswith(("{", "[")):
            return None
        start.append(line)
        size += len(line)
        if size > LOOKED_AT:
            break
    bare = "\n".join(start).strip()
    if not bare or not _is_json(bare, whole=size <= LOOKED_AT):
        return None
    advice = "extract the dialogues first; scores read dialogue text, or one reply per line"
    return Problem(rule="foreign-file", message="the file holds JSON, expected dialogue text", advice=advice)


def _is_json(text: str, *, whole: bool) -> bool:
    """Tell whether a text is JSON or, unless `whole`, the beginning of JSON."""
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except RecursionError:
        return True  # so deep a nesting is no dialogue
    except json.JSONDecodeError as error:
        cut_off = error.pos >= len(text) - _TOKEN or error.msg.startswith("Unterminated")
        return cut_off and not whole
    except ValueError:  # an integer of thousands of digits
        return False
    return whole and end == len(text)


def speaker_unknown(line: DialogueLine) -> Problem:
    """Return the problem of a line without a mark."""
    message = f"found {shown(line.raw)}, expected a line that starts with 'U:', 'S:', 'S_REF:' or 'S_HYP:'"
    advice = "take the white space at its start away" if parse_line(line.raw.lstrip(), 1).mark else ""
    return Problem(rule="speaker-unknown", place=f"line {line.number}", message=message, advice=advice)


def shown(text: str) -> str:
    """Quote a text for a message, abbreviated and safe for any terminal."""
    short = text if len(text) <= 60 else f"{text[:40]} ... {text[-12:]}"
    return ascii(short) if any("\ud800" <= one <= "\udfff" for one in short) else repr(short)
