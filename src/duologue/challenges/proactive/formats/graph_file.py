"""Reads a knowledge graph that goals are drawn from: triples, or the knowledge of a session or sample file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core import disk
from duologue.core.decoded import is_whole, shown
from duologue.core.errors import FormatError
from duologue.core.lines import cut
from duologue.core.problems import capped
from duologue.core.records import Fact, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


def read_graph(path: Path) -> list[Fact]:
    """Return the different facts of a graph in file order, plain or gzip.

    A graph is an object of triples by entity (KdConv), a list of triples, one JSON triple a line, lines of three cells
    between tabs, or a session or sample file, whose knowledge it is then. Triples that say nothing are left out.
    Raises `FormatError` with all problems.
    """
    text, _ = disk.decode_text(disk.read_bytes(path), path)
    cells = [(place, one) for place, row in _rows(text, path) for one in _triples(row)]
    problems = [
        Problem(rule="graph-triple", place=place, message=f"found {shown(one)}, expected three texts")
        for place, one in cells
        if not _is_triple(one)
    ]
    if not cells:
        advice = "give triples, or a session file, whose knowledge is the graph"
        problems = [Problem(rule="graph-empty", message="the file has no triple", advice=advice)]
    if problems:
        raise FormatError(path, capped(problems))
    facts = (Fact(subject=one, relation=relation, object=value) for _, (one, relation, value) in cells if one and value)
    return list(dict.fromkeys(facts))


def _rows(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    lines = cut(text)
    begin = text.lstrip()[:1]
    if begin not in {"[", "{"}:
        yield from ((f"line {at}", line.split("\t")) for at, line in enumerate(lines, start=1) if line.strip())
    elif len(lines) > 1 and lines[0].rstrip()[-1:] in {"]", "}"} and lines[1].lstrip()[:1] == begin:
        yield from (
            (f"line {at}", disk.decode_json(line, path, at)) for at, line in enumerate(lines, start=1) if line.strip()
        )
    else:
        yield "", disk.decode_json(text, path)


def _triples(row: Any) -> Sequence[Any]:
    """Return what should be triples in a row or a whole file."""
    if isinstance(row, dict):
        if isinstance(row.get("knowledge"), list):
            return [*row["knowledge"], *_listed(row.get("goal"))[1:]]
        return [one for entity in row.values() for one in (entity if isinstance(entity, list) else [entity])]
    if isinstance(row, list) and row and isinstance(row[0], list):
        return row
    return [row]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_triple(one: Any) -> bool:
    return isinstance(one, list) and len(one) == 3 and all(isinstance(cell, str) and is_whole(cell) for cell in one)
