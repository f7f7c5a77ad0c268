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

from typing import TYPE_CHECKING, Literal

import msgspec

from duologue.core.records import Fact, Record
from duologue.knowledge.graph import values_of
from duologue.knowledge.normalization import fold, parts_of
from duologue.knowledge.size import measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Scalar
    from duologue.knowledge.graph import Graph
    from duologue.knowledge.size import Size

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
    """`largest` and `smallest` go by size; `shared` are values of every beginning, `different` the rest.
    `more` and `less` are beyond all that `than` has. What is not certain is not taken: of no size, or of another
    dimension than the rest."""
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
    certain: bool = True
    """Whether what was not taken is surely no answer; without sizes that can be compared it is not."""

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
    facts, certain = tuple(fact for _, found in groups for fact in found), True
    if query.take in {"more", "less"}:
        facts, certain = _beyond(facts, _bounds(query, graph), more=query.take == "more")
    elif query.take in {"largest", "smallest"}:
        facts, certain = _extreme(facts, largest=query.take == "largest")
        if not all(found for _, found in groups):  # nothing is known of one of those compared
            facts, certain = (), False
    elif query.take in {"shared", "different"}:
        facts = _common(groups, shared=query.take == "shared")
    return QueryResult(facts=facts, via=tuple(via), groups=tuple(groups), certain=certain)


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


def _common(groups: Sequence[tuple[str, tuple[Fact, ...]]], *, shared: bool) -> tuple[Fact, ...]:
    """Return the facts whose values all beginnings have, or the others."""
    sets = [{fold(value) for fact in found for value in values_of(fact)} for _, found in groups]
    common = set.intersection(*sets) if sets else set()
    facts = (fact for _, found in groups for fact in found)
    return tuple(fact for fact in facts if any(fold(value) in common for value in values_of(fact)) == shared)


def _extreme(facts: Sequence[Fact], *, largest: bool) -> tuple[tuple[Fact, ...], bool]:
    """Return the facts of the largest or smallest size, where that is certain.

    Each other one has a size that is surely not beyond it; what costs nothing is the cheapest whatever the others are.
    """
    sizes = [measure(fact.object) for fact in facts]
    known = [size for size in sizes if size is not None]
    if not known:
        return (), not facts
    best = max(known, key=_ends) if largest else min(known, key=_ends)
    if not (not largest and best.is_nothing) and not all(
        size is not None and (size.same(best) or (best.beyond(size) if largest else size.beyond(best)))
        for size in sizes
    ):
        return (), False
    return tuple(fact for fact, size in zip(facts, sizes, strict=True) if size is not None and size.same(best)), True


def _ends(size: Size) -> tuple[float, float]:
    return size.low, size.high


def _bounds(query: Query, graph: Graph) -> list[Size | None]:
    """Return the sizes that `more` and `less` go beyond: of an entity's facts, else of a value."""
    facts = _facts_at(_entities(query.than, graph), query.steps[-1], graph) if query.steps else ()
    return [measure(fact.object) for fact in facts] or [measure(query.than)]


def _beyond(facts: Sequence[Fact], bounds: Sequence[Size | None], *, more: bool) -> tuple[tuple[Fact, ...], bool]:
    """Return the facts surely beyond all bounds, and whether all others surely are not."""
    known = [bound for bound in bounds if bound is not None]
    if len(known) < len(bounds):
        return (), False
    taken, certain = [], True
    for fact in facts:
        size = measure(fact.object)
        if size is not None and all(size.beyond(one) if more else one.beyond(size) for one in known):
            taken.append(fact)
        elif more or not any(one.is_nothing for one in known):
            certain = (
                certain
                and size is not None
                and any(one.same(size) or (one.beyond(size) if more else size.beyond(one)) for one in known)
            )
    return tuple(taken), certain
