"""Denser graphs for evaluation: distractor triples beside those that dialogues use.

A graph that was rebuilt from dialogues holds what somebody spoke of and nothing else, so that whatever stands in it is
likely to be asked for. Here each entity gets what others of its type have: attributes that it lacks, and further
values where another entity has more of them. These triples are false; they serve to measure selection alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.challenges.spoken.schema.domains import domain_of
from duologue.core.records import Fact
from duologue.core.rng import Rng, digest
from duologue.knowledge.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.core.protocols import World
    from duologue.core.records import Scalar

Values = tuple["Scalar", ...]
"""The values of one attribute of one entity, sorted."""
TRIPLES = 12
"""Triples that each entity gets at least: those of the challenge's graph are said to be 13 (500,000 of 38,000)."""
_LONG = 40
"""Characters from which a text would lead back to the entity that it was taken from: it is put together of several."""
_SENTENCE = re.compile(r"[^。！？]+[。！？]*")


def denser(graph: World, whole: Sequence[World] = (), *, triples: int = TRIPLES, seed: int = 1) -> Graph:
    """Return a graph with distractor triples; what stands in `graph` stands in it too.

    `whole` are graphs that are complete (KdConv's knowledge bases): all of them is added, and an entity in one of them
    gets nothing else. Every other entity gets, from entities of its type (`domain_of` its attributes; a type is drawn
    where they tell none): values of an attribute until it has as many as another entity, and attributes that it lacks,
    the frequent ones more likely, until it has this number of triples. The triples of an entity stand in an order
    drawn anew. The order of the given triples plays no part.
    """
    known = _gathered([*graph, *(fact for one in whole for fact in one)])
    complete = {fact.subject for one in whole for fact in one}
    types = {name: domain_of(sorted(found)) for name, found in known.items()}
    frequent = sorted(kind for name, kind in types.items() if kind is not None and name not in complete)
    donors: dict[str, dict[str, list[Values]]] = {}
    for name in sorted(known):
        for relation, values in known[name].items():
            donors.setdefault(types[name] or "", {}).setdefault(relation, []).append(values)
    facts: list[Fact] = []
    for name in sorted(known):
        found = known[name]
        if name not in complete:
            rng = Rng("denser", seed, name)
            kind = types[name] or (rng.choice(frequent) if frequent else "")
            found = _extended(found, donors.get(kind, {}), triples, rng)
        own = [Fact(subject=name, relation=relation, object=value) for relation in found for value in found[relation]]
        facts += sorted(own, key=lambda fact: digest(seed, fact.relation, type(fact.object).__name__, fact.object))
    return Graph("denser", facts)


def _gathered(facts: Iterable[Fact]) -> dict[str, dict[str, Values]]:
    """Return the different values by entity and attribute, everything sorted."""
    found: dict[str, dict[str, dict[Scalar, None]]] = {}
    for fact in facts:
        values = fact.object if isinstance(fact.object, tuple) else (fact.object,)
        found.setdefault(fact.subject, {}).setdefault(fact.relation, {}).update(dict.fromkeys(values))
    return {
        name: {
            relation: tuple(sorted(relations[relation], key=lambda value: (str(value), type(value).__name__)))
            for relation in sorted(relations)
        }
        for name, relations in found.items()
    }


def _extended(
    own: Mapping[str, Values], donors: Mapping[str, Sequence[Values]], triples: int, rng: Rng
) -> dict[str, Values]:
    """Return the values of an entity by attribute with those that are drawn from entities of its type."""
    found = dict(own)
    for relation, values in own.items():
        drawn = rng.choice(donors[relation]) if relation in donors else ()
        more = [value for value in drawn if value not in values and len(str(value)) < _LONG]
        found[relation] = (*values, *more[: max(0, len(drawn) - len(values))])
    missing = {relation: float(len(donors[relation])) for relation in sorted(donors) if relation not in own}
    while missing and sum(map(len, found.values())) < triples:
        relation = rng.weighted_key(missing)
        del missing[relation]
        found[relation] = tuple(_distractor(value, donors[relation], rng) for value in rng.choice(donors[relation]))
    return found


def _distractor(value: Scalar, donors: Sequence[Values], rng: Rng) -> Scalar:
    """Return a value, or instead of a long text as many sentences, each the one of another entity in its place."""
    if not isinstance(value, str) or len(value) < _LONG:
        return value
    sentences = []
    for place in range(len(_SENTENCE.findall(value)) or 1):
        others = _SENTENCE.findall(str(rng.choice(rng.choice(donors)))) or [value]
        sentences.append(others[min(place, len(others) - 1)])
    return "".join(sentences)
