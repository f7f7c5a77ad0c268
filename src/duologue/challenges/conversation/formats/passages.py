"""External knowledge of task B as a file: passages of documents, or facts, that a system looks up for each reply.

Plain text or JSON lines, UTF-8, plain or gzip. Plain text is paragraphs with empty lines between them. A line of JSON
is an object with `text`, what can be said, and perhaps `about`, its title or the question that it answers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.core.disk import Source
from duologue.core.errors import FormatError
from duologue.core.lines import Lines
from duologue.core.problems import ProblemCollector
from duologue.core.records import Fact, Problem
from duologue.core.text_rows import text_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RELATION = "text"
"""What the relation of a passage is called; its subject is what it is about, its object its text."""
LONGEST = 60
"""Words of a passage: longer texts are cut where sentences end."""
_SENTENCE_END = re.compile(r"(?<=[.?!])\s")


def read_passages(path: Path) -> list[Fact]:
    """Return the passages of a file as facts, in its order. Raises `FormatError` with all problems of the file."""
    found: list[Fact] = []
    problems = ProblemCollector()
    lines = Lines(Source(path), unmarked=True)
    first = next((line.lstrip() for line in lines if line.strip()), "")
    for one in _rows(lines) if first.startswith("{") else _paragraphs(lines):
        if isinstance(one, Problem):
            problems.add(one)
        else:
            found += [Fact(subject=one.subject, relation=RELATION, object=part) for part in parts(str(one.object))]
    if not found and not problems.problems():
        problems.add(
            Problem(
                rule="no-passage",
                message="there is no passage, only white space",
                advice="write paragraphs with empty lines between them, or JSON lines with `text` and `about`",
            )
        )
    if problems.problems():
        raise FormatError(path, problems.problems())
    return found


def parts(text: str) -> list[str]:
    """Return a text cut where sentences end, into parts of at most `LONGEST` words; a longer sentence stays whole.

    >>> parts("One. Two three?")
    ['One. Two three?']
    """
    found: list[list[str]] = []
    for sentence in _SENTENCE_END.split(" ".join(text.split())):
        words = sentence.split()
        if found and len(found[-1]) + len(words) <= LONGEST:
            found[-1] += words
        elif words:
            found.append(words)
    return [" ".join(words) for words in found]


def _paragraphs(lines: Lines) -> Iterator[Fact | Problem]:
    waiting: list[str] = []
    for line in (*lines, ""):
        if line.strip():
            waiting.append(line)
        elif waiting:
            yield Fact(subject="", relation=RELATION, object=" ".join(waiting))
            waiting = []


def _rows(lines: Lines) -> Iterator[Fact | Problem]:
    for row in text_rows(lines, "about"):
        if isinstance(row, Problem):
            yield row
        else:
            yield Fact(subject=" ".join(row.title.split()), relation=RELATION, object=row.text)
