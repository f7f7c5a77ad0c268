"""A graph as large as that of the challenge, made of a smaller one and of invented entities of the same form."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from duologue.core.records import Fact
from duologue.knowledge.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator


def enlarged(graph: Graph, *, entities: int, facts: int, seed: int) -> Graph:
    """Return `graph` with invented entities up to `entities`, and about `facts` triples.

    An invented entity has the attributes of one that is there, with its name and the values of several mixed: sizes,
    lengths and characters are those of the real ones.
    """
    rng = Random(seed)
    known = [list(graph.about(name)) for name in graph.entities]
    more = max(0, entities - len(graph.entities))
    each = max(1, round((facts - len(graph)) / more)) if more else 0
    return Graph(graph.name, [*graph, *_invented(known, list(graph.entities), more, each, rng)])


def _invented(known: list[list[Fact]], names: list[str], more: int, each: int, rng: Random) -> Iterator[Fact]:
    signs = "".join(names)
    used = set(names)
    for _ in range(more):
        length = len(rng.choice(names))
        name = "".join(rng.choice(signs) for _ in range(max(2, length)))
        while name in used:
            name += rng.choice(signs)
        used.add(name)
        values = [fact for like in rng.choices(known, k=3) for fact in like]
        for fact in (rng.choice(values) for _ in range(each)):
            yield Fact(subject=name, relation=fact.relation, object=_mixed(str(fact.object), signs, rng))


def _mixed(value: str, signs: str, rng: Random) -> str:
    """Return a value in which half of the characters are others; digits and marks stay."""
    return "".join(rng.choice(signs) if sign.isalpha() and rng.random() < 0.5 else sign for sign in value)
