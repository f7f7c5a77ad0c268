"""Checks and gates as annotations of GitHub Actions (workflow commands, one line each)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.core.amounts import amount
from duologue.core.escapes import printable
from duologue.core.problems import total
from duologue.exports.portable import portable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from duologue.core.records import Problem
    from duologue.report.gate import GateVerdict

LIMIT = 10
"""Annotations of one level that GitHub shows of a step."""
_LINE = re.compile(r"line (\d{1,9})\b", re.ASCII)


def of_check(file: Path, problems: Sequence[Problem]) -> Iterator[str]:
    """Yield an annotation for each of the first problems of a file, and one that counts the others."""
    path = portable(file)
    shown = {"error": 0, "warning": 0}
    told = 0
    for one in problems:
        level = "error" if one.severity == "error" else "warning"
        if shown[level] >= LIMIT:
            continue
        shown[level] += 1
        told += one.stands_for
        line = _LINE.match(one.place)
        place = f"{one.place}: " if one.place else ""
        advice = f"; {one.advice}" if one.advice else ""
        yield annotation(level, f"{place}{one.message}{advice}", one.rule, path, int(line[1]) if line else None)
    if more := total(problems) - told:
        yield annotation("notice", f"and {amount(more, 'more problem')}", "duologue check", path)


def of_gate(verdict: GateVerdict) -> str:
    """Return the annotation of a gate: an error where it is closed."""
    return annotation("notice" if verdict.passed else "error", verdict.reason, "duologue compare")


def annotation(level: str, message: str, title: str, file: str = "", line: int | None = None) -> str:
    """Return one workflow command; `level` is `error`, `warning` or `notice`.

    >>> annotation("error", "100 % wrong", "rank-repeated", "a,b.json", 3)
    '::error file=a%2Cb.json,line=3,title=rank-repeated::100 %25 wrong'
    """
    properties = {"file": file, "line": "" if line is None else str(line), "title": title}
    given = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in properties.items() if value)
    return f"::{level} {given}::{_escaped(message, '')}"


def _escaped(text: str, more: str) -> str:
    for one in ("%", "\r", "\n", *more):
        text = text.replace(one, f"%{ord(one):02X}")
    return printable(text)
