"""Tables of transcripts: a head with columns for call, speaker and text, or for call and what each side says.

Columns may be parted by a comma, semicolon, tab or bar, whatever the name of the file says: spreadsheets do.
"""

from __future__ import annotations

import csv
import io
import logging
import re
from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.formats.transcript_rows import SaidRows, columns_of
from duologue.challenges.mobilecs.formats.transcript_words import CALLS, SPEAKERS, TEXTS
from duologue.core.decoded import shown
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from duologue.challenges.mobilecs.formats.transcript_rows import Told
    from duologue.core.problems import ProblemCollector

_LOG = logging.getLogger(__name__)
SUFFIXES = {".csv": ",", ".tsv": "\t"}
"""Ends of the names of tables, with what parts their columns."""
_MARKS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
"""Signs that part columns, with what they are called."""
_SAYS_MARK = re.compile(r"sep=([,;\t|])\r?\n", re.IGNORECASE)
"""First line by which spreadsheets are told what parts columns."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LONGEST_HEAD = 1 << 16


def table_calls(text: str, path: Path, usual: str, problems: ProblemCollector) -> Told:
    """Yield the calls of a table with their places; `usual` is what parts the columns unless the head shows another."""
    said = _SAYS_MARK.match(text)
    mark = said[1] if said is not None else _mark_of(text, usual)
    if mark != usual:
        _LOG.warning("%s: %s parts the columns, not %s", path, _MARKS[mark], _MARKS[usual])
    rows = _rows(text, mark, problems)
    if said is not None:
        next(rows, None)
    begun, head = next(rows, (1, []))
    columns = columns_of(tuple(head))
    if problems.problems():
        return
    if not columns.are_enough:
        problems.add(
            Problem(
                rule="transcript-columns",
                place=f"line {begun}",
                message=f"found {shown(', '.join(head))}, expected a column for the speaker and one for the text",
                advice=f"call them {SPEAKERS[0]} and {TEXTS[0]}, or agent and customer those of what each side says, "
                f"and {CALLS[0]} the one that tells calls apart",
            )
        )
        return
    gathered = SaidRows(path, columns)
    for line, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        place = f"line {line}"
        if len(row) < len(head) or any(cell.strip() for cell in row[len(head) :]):
            message = f"found {len(row)} columns, expected {len(head)}"
            advice = "put a text in quotes that holds what parts the columns" if len(row) > len(head) else ""
            problems.add(Problem(rule="transcript-row", place=place, message=message, advice=advice))
        elif isinstance(turns := columns.turns(row), str):
            message = f"found {turns}, expected who speaks"
            problems.add(Problem(rule="transcript-row", place=place, message=message, advice="fill it in each row"))
        else:
            gathered.add(place, columns.call_of(row), turns, columns.started(row))
    yield from gathered.calls(problems)


def _rows(text: str, mark: str, problems: ProblemCollector) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows, each with the line where it begins; a problem where a quote is not closed."""
    rows = csv.reader((line[0] for line in _LINE.finditer(text)), delimiter=mark, strict=True)
    begun = 1
    try:
        for row in rows:
            yield begun, row
            begun = rows.line_num + 1
    except csv.Error as error:
        problems.add(
            Problem(
                rule="transcript-table",
                place=f"line {begun}",
                message=f"not a table: {error}",
                advice="is a quote in this row not closed, or closed amid a cell?",
            )
        )


def _mark_of(text: str, usual: str) -> str:
    """Return the sign that parts the columns: the first by which the head tells who says what."""
    for mark in (usual, *_MARKS):
        rows = csv.reader(io.StringIO(text[:_LONGEST_HEAD], newline=""), delimiter=mark)
        try:
            if columns_of(tuple(next(rows, []))).are_enough:
                return mark
        except csv.Error:
            continue
    return usual
