"""Facts as text: lines of knowledge base files and fact lines in dialogues (specification, section 3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.core import disk
from duologue.core.errors import FormatError
from duologue.core.problems import ProblemCollector
from duologue.core.records import Fact, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_LINE = re.compile(r"1 (\S+) R_(\S+)\t(\S(?:.*\S)?)")
_SPOKEN = re.compile(r"(\S+) r_(\S+) (\S.*)")


def read_facts(path: Path) -> list[Fact]:
    """Return the facts of a knowledge base file, plain or gzip, in the order of its lines.

    A relation is the bare field (`"rating"`), an object the text as written (`"46"`). Blank lines, Windows line
    ends and a byte order mark are tolerated. Raises `FormatError` with all bad lines, `StorageError` when the
    file cannot be read.
    """
    text, _ = disk.decode_text(disk.read_bytes(path), path)
    facts: list[Fact] = []
    problems = ProblemCollector()
    fits = _LINE.fullmatch
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.removesuffix("\r")
        found = fits(line)
        if found is not None:
            facts.append(Fact(subject=found[1], relation=found[2], object=found[3]))
        elif line.strip():
            problems.add(_bad_line(number, line))
    if problems.problems():
        raise FormatError(path, problems.problems())
    return facts


def read_base(path: Path) -> list[Fact]:
    """Return the facts of a knowledge base file as `read_facts`. Raises `FormatError` for a file without one, too."""
    facts = read_facts(path)
    if not facts:
        problem = Problem(rule="kb-empty", message="the file holds no restaurant", advice="give another file")
        raise FormatError(path, [problem])
    return facts


def _bad_line(number: int, line: str) -> Problem:
    return Problem(
        rule="kb-line",
        place=f"line {number}",
        message=f"found {line[:60]!r}, expected '1 <name> R_<field>', a tab and a value",
        advice="a knowledge base has one fact per line, as in extendedkb1.txt",
    )


def kb_lines(facts: Iterable[Fact]) -> str:
    r"""Return facts as the text of a knowledge base file; what `read_facts` read comes back byte for byte.

    >>> kb_lines([Fact(subject="old_inn", relation="rating", object="46")])
    '1 old_inn R_rating\t46\n'
    """
    return "".join(f"1 {fact.subject} R_{fact.relation}\t{fact.object}\n" for fact in facts)


def parse_fact(utterance: str) -> Fact | None:
    """Return the fact that an utterance states (`<name> r_<field> <value>`), or `None` when it states none.

    >>> parse_fact("old_inn r_rating 46").object
    '46'
    """
    found = _SPOKEN.fullmatch(utterance) if " r_" in utterance else None  # most are none, and that is told sooner
    return None if found is None else Fact(subject=found[1], relation=found[2], object=found[3])


def fact_utterance(fact: Fact) -> str:
    """Return the utterance that states a fact in a dialogue.

    >>> fact_utterance(Fact(subject="old_inn", relation="rating", object="46"))
    'old_inn r_rating 46'
    """
    return f"{fact.subject} r_{fact.relation} {fact.object}"
