"""Conversions between data formats: dialogues to samples or gold, a graph to a database and back."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from duologue.challenges.spoken.formats import files, kdconv
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from duologue.knowledge.graph import Graph

CONVERSIONS = {
    ("dialogues", "samples"),
    ("dialogues", "gold"),
    ("graph", "sqlite"),
    ("sqlite", "graph"),
    ("kdconv", "dialogues"),
    ("kdconv", "graph"),
}
"""Pairs of source and target format."""


def open_graph(path: Path) -> Graph:
    """Return the graph of a file: kg.json is read into memory, a database is queried in place.

    Raises `FormatError` for a file that is neither, and for one without a triple.
    """
    from duologue.knowledge.graph import Graph
    from duologue.store.graph import StoredGraph, is_stored

    if is_stored(path):
        return StoredGraph(path)
    facts = list(files.facts_in(files.read_graph(path)))
    if not facts:
        raise FormatError(path, [Problem(rule="graph-empty", message="there is no triple", advice="give another file")])
    return Graph(path.name, facts)


def convert(source: str, target: str, path: Path, out: Path, chosen: Mapping[str, str] = MappingProxyType({})) -> None:
    """Write the content of `path`, of format `source`, in format `target`.

    Samples and gold of dialogues are those of the responder's turns, with the ids that `load` gives them. Raises
    `UsageError` for a way that there is none and for a choice that it does not have, `FormatError` for a file that is
    not of the form.
    """
    if (source, target) not in CONVERSIONS:
        ways = ", ".join(f"{one} to {other}" for one, other in sorted(CONVERSIONS))
        raise UsageError(f"there is no way from {source} to {target}; the ways are {ways}")
    own = {"dialogues": ("split", "domain"), "graph": ("domain",)}[target] if source == "kdconv" else ()
    for name in chosen:
        if name not in own:
            has = f"its choices are {', '.join(own)}" if own else "there is nothing to choose"
            raise UsageError(f"making {target} of {source} has no choice '{name}'; {has}")
    if source == "kdconv":
        domain = chosen.get("domain", kdconv.CHOICES["domain"][0])
        if target == "graph":
            files.write_graph(kdconv.read_graph(path, domain), out)
        else:
            split = chosen.get("split", kdconv.CHOICES["split"][0])
            files.write_dialogues(kdconv.read_split(path, split, domain), out)
    elif target == "sqlite":
        from duologue.store.graph import is_stored, store

        if is_stored(path):
            message = "this is an SQLite database; expected an object of entities and their rows (kg.json)"
            advice = "say --from sqlite where a database is read"
            raise FormatError(path, [Problem(rule="other-file", message=message, advice=advice)])
        store(files.facts_in(files.read_graph(path)), out)
    elif target == "graph":
        files.write_graph(files.graph_of(open_graph(path)), out)
    else:
        examples = [one for dialogue in files.read_dialogues(path) for one in files.examples_of(dialogue)]
        (files.write_samples if target == "samples" else files.write_gold)(examples, out)
