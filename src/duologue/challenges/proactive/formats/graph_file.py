"""Reads a knowledge graph that goals are drawn from: triples, or the knowledge of a session or sample file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core import disk
from duologue.core.decoded import is_text, pointer, shown
from duologue.core.errors import FormatError
from duologue.core.lines import cut
from duologue.core.problems import capped
from duologue.core.records import Fact, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_CELLS = ("subject", "relation", "object")


def read_graph(path: Path) -> list[Fact]:
    """Return the different facts of a graph in file order, plain or gzip.

    A graph is an object of triples by entity (KdConv), a list of triples, one JSON triple a line, lines of three cells
    between tabs, or a session or sample file, whose knowledge it is then. Triples that say nothing are left out.
    Raises `FormatError` with all problems.
    """
    text, _ = disk.decode_text(disk.read_bytes(path), path)
    cells = [(f"{place}, {inner}".strip(", "), one) for place, row in _rows(text, path) for inner, one in _triples(row)]
    problems = [
        Problem(rule="graph-triple", place=place, message=wrong) for place, one in cells if (wrong := _wrong(one))
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


def _triples(row: Any) -> Iterator[tuple[str, Any]]:
    """Yield what should be triples in a row or a whole file, with their places in it."""
    if isinstance(row, dict) and isinstance(row.get("knowledge"), list):
        yield from _placed(row["knowledge"], "knowledge")
        yield from list(_placed(_listed(row.get("goal")), "goal"))[1:]
    elif isinstance(row, dict):
        for name, entity in row.items():
            yield from _placed(entity if isinstance(entity, list) else [entity], name)
    elif isinstance(row, list) and row and isinstance(row[0], list):
        yield from _placed(row)
    else:
        yield "", row


def _placed(triples: Sequence[Any], *steps: str) -> Iterator[tuple[str, Any]]:
    return ((pointer(*steps, at), one) for at, one in enumerate(triples))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _wrong(one: Any) -> str:
    """Return what of a triple is not as it must be; empty where all is."""
    if not isinstance(one, list) or len(one) != len(_CELLS):
        return f"found {shown(one)}, expected three texts"
    odd = next(((name, cell) for name, cell in zip(_CELLS, one, strict=True) if not is_text(cell)), None)
    return "" if odd is None else f"the {odd[0]} is {shown(odd[1])}, expected a text"
