"""Queries to a knowledge graph as records, and their results.

There is no query language. A query begins at names or values and goes along steps, each to the values of an
attribute or back to the entities that have a value; the facts of the last step are the answer, of which all are
taken, the largest, those that several beginnings share, ...

    what is the height of A          Query(start=("A",), steps=(Step("height"),))
    whose height is 3                Query(start=("3",), steps=(Step("height", back=True),))
    where does A's author live       Query(start=("A",), steps=(Step("author"), Step("home")))
    who is of A's race too           Query(start=("A",), steps=(Step("race"), Step("race", back=True)), others=True)
    which of them is tallest         ... steps=(..., Step("height")), take="largest"
    is A taller than B               Query(start=("A", "B"), steps=(Step("height"),), take="largest")
    which films share A and B        Query(start=("A", "B"), steps=(Step("film"),), take="shared")
    whose friends are taller than B  Query(start=("A",), steps=(Step("friend"), Step("height")), take="more", than="B")
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Literal

import msgspec

from duologue.core.records import Fact, Record
from duologue.knowledge.graph import values_of
from duologue.knowledge.normalization import fold, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Scalar
    from duologue.knowledge.graph import Graph

Take = Literal["all", "largest", "smallest", "shared", "different", "more", "less"]
"""Which of the facts found are the answer."""


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way along the graph: from entities to values, or back from values to entities."""

    relation: str | tuple[str, ...] = ""
    """The attribute, or several of which any will do; empty: any at all."""
    back: bool = False
    """From a value to the entities that have it, alone or in a list."""

    def takes(self, relation: str) -> bool:
        """Tell whether the step goes along an attribute."""
        return not self.relation or relation in self.relation_names

    @property
    def relation_names(self) -> tuple[str, ...]:
        """The attributes that the step goes along; nothing for any at all."""
        if isinstance(self.relation, tuple):
            return self.relation
        return (self.relation,) if self.relation else ()


class Query(Record, frozen=True, kw_only=True):
    """Where to begin, the way to go, and what to take of what is found there."""

    start: tuple[str, ...]
    """Names as said, or values where the first step goes back; several are compared."""
    steps: tuple[Step, ...] = (Step(),)
    """The last one reads the answer; those before are hops."""
    take: Take = "all"
    """`largest` and `smallest` go by number or date; `shared` are values of every beginning, `different` the rest.
    `more` and `less` are beyond all that `than` has."""
    than: str = ""
    """What `more` and `less` are measured against: an entity that has the last step's attribute, else a value."""
    others: bool = False
    """Leave out what the entities that it began at say themselves, as in "who else"."""

    def told(self) -> str:
        """Return the query as one line.

        >>> Query(start=("A", "B"), steps=(Step("author"), Step("home", back=True)), take="largest").told()
        'largest of: A, B → author ← home'
        """
        way = "".join(f" {'←' if step.back else '→'} {'|'.join(step.relation_names) or '*'}" for step in self.steps)
        bound = f" than {self.than}" if self.than else ""
        taken = "" if self.take == "all" else f"{self.take}{bound} of: "
        return f"{taken}{', '.join(self.start)}{way}{' (others)' if self.others else ''}"


class QueryResult(Record, frozen=True, kw_only=True):
    """What a graph says to a query."""

    facts: tuple[Fact, ...] = ()
    """The answer, by beginning and then in file order; no fact twice for one beginning."""
    via: tuple[Fact, ...] = ()
    """The facts that the hops went along."""
    groups: tuple[tuple[str, tuple[Fact, ...]], ...] = ()
    """Per beginning its facts before anything was taken of them."""

    @property
    def entities(self) -> tuple[str, ...]:
        """The different entities of the answer."""
        return tuple(dict.fromkeys(fact.subject for fact in self.facts))

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The different values of the answer; a number and its text are two."""
        found = {(type(value), value): value for fact in self.facts for value in values_of(fact)}
        return tuple(found.values())

    @property
    def count(self) -> int:
        """How many different facts there are in the answer."""
        return len(dict.fromkeys(self.facts))


def run(query: Query, graph: Graph) -> QueryResult:
    """Return what the graph says; what it does not know gives nothing.

    A name begins at all entities that it may mean (`Graph.forms`), a value at itself. A hop along a value goes on at
    the entities that it names.
    """
    groups: list[tuple[str, tuple[Fact, ...]]] = []
    via: dict[Fact, None] = {}
    for start in query.start:
        levels = _levels(start, query, graph)
        for level in levels[:-1]:
            via.update(dict.fromkeys(level))
        groups.append((start, tuple(levels[-1]) if levels else ()))
    facts = _taken(groups, query.take)
    if query.take in {"more", "less"}:
        facts = _beyond(facts, _bounds(query, graph), more=query.take == "more")
    return QueryResult(facts=facts, via=tuple(via), groups=tuple(groups))


def evidence(query: Query, graph: Graph) -> tuple[Fact, ...]:
    """Return the facts of the answer after those of the hops that lead to them, and no other; none twice.

    Beginnings that are compared give all their facts, and so does what an answer is measured against.
    """
    answer = frozenset(run(query, graph).facts)
    found: dict[Fact, None] = {}
    if query.take in {"more", "less"}:
        found.update(dict.fromkeys(_facts_at(_entities(query.than, graph), query.steps[-1], graph)))
    compared = len(query.start) > 1 and query.take in {"largest", "smallest"} and bool(answer)
    for start in query.start:
        levels = _levels(start, query, graph)
        wanted = [fact for fact in levels[-1] if compared or fact in answer] if levels else []
        ways = [wanted]
        for number in range(len(levels) - 2, -1, -1):
            step, following = query.steps[number], query.steps[number + 1]
            reached = _reached(wanted, following)
            wanted = [fact for fact in levels[number] if _leads(fact, step, following, reached, graph)]
            ways.append(wanted)
        found.update(dict.fromkeys(fact for way in reversed(ways) for fact in way))
    return tuple(found)


def _levels(start: str, query: Query, graph: Graph) -> list[list[Fact]]:
    """Return the facts of each step from one beginning."""
    origin = _entities(start, graph)
    things: Sequence[Scalar] = (start,) if query.steps and query.steps[0].back else origin
    levels: list[list[Fact]] = []
    for number, step in enumerate(query.steps):
        found = _facts_at(things, step, graph)
        if query.others and number:
            found = [fact for fact in found if fact.subject not in origin]
        levels.append(found)
        if number + 1 < len(query.steps):
            things = _goals(found, step, query.steps[number + 1], graph)
    return levels


def _reached(wanted: Iterable[Fact], following: Step) -> frozenset[str]:
    """Return where a hop must come to for the facts wanted after it: their subjects, or going back what they hold."""
    if not following.back:
        return frozenset(fact.subject for fact in wanted)
    values = [value for fact in wanted for value in values_of(fact)]
    return frozenset(fold(one) for value in values for one in (value, *parts_of(value)))


def _leads(fact: Fact, step: Step, following: Step, reached: frozenset[str], graph: Graph) -> bool:
    """Tell whether a hop along a fact comes to what is `_reached`."""
    goals = _goals((fact,), step, following, graph)
    return any((fold(goal) if following.back else goal) in reached for goal in goals)


def _entities(name: Scalar, graph: Graph) -> Sequence[str]:
    """Return what a name means: the entity of this very name, else all of that form."""
    text = name if isinstance(name, str) else str(name)
    return (text,) if text in graph else graph.forms(text)


def _facts_at(things: Sequence[Scalar], step: Step, graph: Graph) -> list[Fact]:
    """Return the different facts of one step from entities, or back from values; one without a value says nothing."""
    found: dict[Fact, None] = {}
    for thing in things:
        facts = graph.holders(thing, parts=True) if step.back else graph.about(str(thing))
        found.update(dict.fromkeys(fact for fact in facts if step.takes(fact.relation) and values_of(fact)))
    return list(found)


def _goals(found: Iterable[Fact], step: Step, following: Step, graph: Graph) -> Sequence[Scalar]:
    """Return where the next step begins: at the subjects after a step back, else at values or what they name."""
    if step.back:
        return tuple(dict.fromkeys(fact.subject for fact in found))
    values = dict.fromkeys(value for fact in found for value in values_of(fact))
    if following.back:
        return tuple(values)
    return tuple(dict.fromkeys(entity for value in values for entity in _entities(value, graph)))


def _taken(groups: Sequence[tuple[str, tuple[Fact, ...]]], take: Take) -> tuple[Fact, ...]:
    facts = tuple(fact for _, found in groups for fact in found)
    if take in {"all", "more", "less"}:
        return facts
    if take in {"shared", "different"}:
        sets = [{fold(value) for fact in found for value in values_of(fact)} for _, found in groups]
        shared = set.intersection(*sets) if sets else set()
        wanted = take == "shared"
        return tuple(fact for fact in facts if any(fold(value) in shared for value in values_of(fact)) == wanted)
    measured = [(size, fact) for fact in facts if (size := measure(fact.object)) is not None]
    if not measured:
        return ()
    best = (max if take == "largest" else min)(size for size, _ in measured)
    return tuple(fact for size, fact in measured if size == best)


def _bounds(query: Query, graph: Graph) -> list[tuple[float, ...]]:
    """Return the sizes that `more` and `less` go beyond: of an entity's facts, else of a value."""
    facts = _facts_at(_entities(query.than, graph), query.steps[-1], graph) if query.steps else ()
    sizes = [measure(fact.object) for fact in facts] or [measure(query.than)]
    return [size for size in sizes if size is not None]


def _beyond(facts: Iterable[Fact], bounds: Sequence[tuple[float, ...]], *, more: bool) -> tuple[Fact, ...]:
    measured = [(size, fact) for fact in facts if (size := measure(fact.object)) is not None]
    if not bounds:
        return ()
    return tuple(fact for size, fact in measured if (size > max(bounds) if more else size < min(bounds)))


_DATE = re.compile(r"(\d{3,4})\s*(?:年|[-./])\s*(\d{1,2})(?:\s*(?:月|[-./])\s*(\d{1,2}))?")
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_UNITS = {"千": 1e3, "万": 1e4, "亿": 1e8}


def measure(value: Scalar | tuple[str, ...]) -> tuple[float, ...] | None:
    """Return how large a value is, for comparison: its date, else its first number; `None` where it has neither.

    Numerals in characters are not read, units but 千, 万 and 亿 are not converted.

    >>> measure("约1.5万字"), measure("1993年4月"), measure("1,024"), measure(7), measure("很多")
    ((15000.0,), (1993.0, 4.0, 0.0), (1024.0,), (7.0,), None)
    """
    if isinstance(value, int | float):
        return (float(value),)
    text = unicodedata.normalize("NFKC", " ".join(value) if isinstance(value, tuple) else value)
    if date := _DATE.search(text):
        return tuple(float(part or 0) for part in date.groups())
    number = _NUMBER.search(text)
    if number is None:
        return None
    size = float(number[0].replace(",", ""))
    place = number.end()
    while place < len(text) and text[place] in _UNITS:
        size *= _UNITS[text[place]]
        place += 1
    return (size,)
