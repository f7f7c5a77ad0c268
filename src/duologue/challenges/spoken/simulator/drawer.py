"""Drawing of inquiries from a graph by their shape, each with what its wordings are filled with."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.spoken.knowledge.inquiry import Inquiry, find
from duologue.challenges.spoken.knowledge.scales import scale_of
from duologue.knowledge.graph import values_of
from duologue.knowledge.normalization import fold, parts_of, without_suffix
from duologue.knowledge.query import Query, Step, run
from duologue.knowledge.size import measure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duologue.challenges.spoken.knowledge.inquiry import Finding, Wanted
    from duologue.challenges.spoken.knowledge.scales import Scale
    from duologue.core.records import Fact
    from duologue.core.rng import Rng
    from duologue.knowledge.graph import Graph
    from duologue.knowledge.query import QueryResult

SHORTEST, LONGEST = 2, 14
"""Characters of a name or value that is said."""
_FEW = 6
"""Facts of an answer that is looked up."""
_MANY = 12
"""Things that are counted or listed."""
_TOLD = 60
"""Characters of a value that is an answer."""
_KEPT = 4096
"""What the graph said to so many queries and inquiries is kept."""
_SAYABLE = re.compile(r"[^\s\W_](?:[\w·]*[^\s\W_])?")


class Draft(NamedTuple):
    """An inquiry before its wording."""

    inquiry: Inquiry
    slots: dict[str, str]
    """What stands in the wording's places."""
    before: tuple[tuple[str, Inquiry, dict[str, str]], ...] = ()
    """Of a follow-up: wording, inquiry and slots of the questions before."""


class Drawer:
    """Draws inquiries from one graph; a draw that finds nothing gives `None`."""

    def __init__(self, graph: Graph, adjectives: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._graph, self._adjectives = graph, adjectives
        self._facts = list(graph)
        self._run: Callable[[Query], QueryResult] = lru_cache(_KEPT)(lambda query: run(query, graph))
        self.find: Callable[[Inquiry], Finding | None] = lru_cache(_KEPT)(lambda inquiry: find(inquiry, graph))
        """Returns what the graph says to an inquiry; small graphs are asked the same again and again."""

    def shapes(self) -> dict[tuple[str, str], Callable[[Rng], Draft | None]]:
        """Return the drawing functions by kind and shape; none where there are no facts to ask about."""
        if not self._facts:
            return {}
        return {
            ("reverse", "back"): lambda rng: self._way(rng, 1, back=True, wanted="entities"),
            ("two-hops", "forward"): lambda rng: self._way(rng, 2, back=False),
            ("two-hops", "back"): lambda rng: self._way(rng, 2, back=True),
            ("three-hops", "forward"): lambda rng: self._way(rng, 3, back=False),
            ("three-hops", "back"): lambda rng: self._way(rng, 3, back=True),
            ("comparison", "larger"): lambda rng: self._compared(rng, dates=False),
            ("superlative", "hop"): lambda rng: self._extreme(rng, back=False, dates=False),
            ("superlative", "back"): lambda rng: self._extreme(rng, back=True, dates=False),
            ("count", "values"): lambda rng: self._several(rng, back=False, wanted="count"),
            ("count", "holders"): lambda rng: self._several(rng, back=True, wanted="count"),
            ("list", "values"): lambda rng: self._several(rng, back=False, wanted="values"),
            ("list", "holders"): lambda rng: self._several(rng, back=True, wanted="entities"),
            ("list", "shared"): self._shared,
            ("date", "larger"): lambda rng: self._compared(rng, dates=True),
            ("date", "back"): lambda rng: self._extreme(rng, back=True, dates=True),
            ("date", "bound"): self._after_year,
            ("follow-up", "there"): self._there,
            ("follow-up", "other"): self._other,
            ("follow-up", "than"): self._than,
        }

    def _said(self, name: str) -> str | None:
        """Return an entity's name as it is said; `None` for one that cannot be said or means others, too."""
        said = without_suffix(name)
        if not _sayable(said) or self._graph.forms(said) != (name,) or said in self._relations:
            return None
        return said

    @cached_property
    def _relations(self) -> frozenset[str]:
        return frozenset(fact.relation for fact in self._facts)

    @cached_property
    def _sized(self) -> dict[tuple[str, Scale], list[Fact]]:
        """Facts whose value is a size, by attribute and scale; of entities that have one such value alone."""
        found: dict[tuple[str, Scale], list[Fact]] = {}
        for fact in self._facts:
            if isinstance(fact.object, tuple) or len(self._graph.objects(fact.subject, fact.relation)) != 1:
                continue
            scale = scale_of(fact.relation, [fact.object])
            if scale is not None and self._said(fact.subject) is not None:
                found.setdefault((fact.relation, scale), []).append(fact)
        return {key: facts for key, facts in found.items() if len(facts) > 1}

    def _start(self, rng: Rng, *, back: bool) -> tuple[str, str] | None:
        """Return a name or value to begin at, and an attribute to go along first."""
        fact = rng.choice(self._facts)
        if back:
            value = rng.choice(values_of(fact)) if values_of(fact) else ""
            return (value, fact.relation) if isinstance(value, str) and _sayable(value) else None
        said = self._said(fact.subject)
        return (said, fact.relation) if said is not None else None

    def _way(self, rng: Rng, hops: int, *, back: bool, wanted: Wanted = "values") -> Draft | None:
        started = self._start(rng, back=back)
        if started is None:
            return None
        steps = [Step(started[1], back=back)]
        while len(steps) < hops:
            query = Query(start=(started[0],), steps=(*steps, Step()))
            relations = [fact.relation for fact in self._run(query).facts]
            free = [one for one in dict.fromkeys(relations) if one not in {step.relation for step in steps}]
            if not free:
                return None
            steps.append(Step(rng.choice(free)))
        query = Query(start=(started[0],), steps=tuple(steps))
        if not self._few(query, 1, _FEW):
            return None
        return Draft(Inquiry(query=query, wanted=wanted), _slots(query))

    def _few(self, query: Query, least: int, limit: int) -> bool:
        """Tell whether a query has so many answers, each short enough to be told, and not too much evidence."""
        result = self._run(query)
        values = [value for fact in result.facts for value in values_of(fact)]
        told = all(len(str(value)) <= _TOLD for value in values)
        return least <= result.count <= limit and told and len(result.via) <= 4 * limit

    def _several(self, rng: Rng, *, back: bool, wanted: Wanted) -> Draft | None:
        started = self._start(rng, back=back)
        if started is None:
            return None
        query = Query(start=(started[0],), steps=(Step(started[1], back=back),))
        result = self._run(query)
        if not back and any(parts_of(value) for fact in result.facts for value in values_of(fact)):
            return None
        if not self._few(query, 2, _MANY):
            return None
        return Draft(Inquiry(query=query, wanted=wanted), _slots(query))

    def _shared(self, rng: Rng) -> Draft | None:
        started = self._start(rng, back=True)
        if started is None:
            return None
        holders = [fact.subject for fact in self._graph.holders(started[0]) if fact.relation == started[1]]
        chosen = rng.sample(list(dict.fromkeys(holders)), 2)
        names = [said for name in chosen if (said := self._said(name)) is not None]
        if len(names) != 2 or _inside(*names):
            return None
        query = Query(start=tuple(names), steps=(Step(started[1]),), take="shared")
        if not self._few(query, 1, _MANY):
            return None
        slots = {"a": names[0], "b": names[1], "r": started[1]}
        return Draft(Inquiry(query=query), slots)

    def _compared(self, rng: Rng, *, dates: bool) -> Draft | None:
        keys = [key for key in self._sized if (key[1] == "date") == dates]
        if not keys:
            return None
        relation, scale = rng.choice(keys)
        one, other = rng.sample(self._sized[relation, scale], 2)
        if not _apart(one, other):
            return None
        names = (without_suffix(one.subject), without_suffix(other.subject))
        if _inside(*names):
            return None
        more, word = self._adjective(rng, scale)
        query = Query(start=names, steps=(Step(relation),), take="largest" if more else "smallest")
        slots = {"a": names[0], "b": names[1], "r": relation, "more": word}
        return Draft(Inquiry(query=query, wanted="entities"), slots)

    def _adjective(self, rng: Rng, scale: Scale) -> tuple[bool, str]:
        more = rng.happens(0.5)
        return more, rng.choice(self._adjectives[scale][0 if more else 1])

    def _group(self, rng: Rng, *, back: bool, dates: bool) -> tuple[Query, list[Fact], Scale] | None:
        """Return a way to several entities that have one size each, with these facts and their scale."""
        started = self._start(rng, back=back)
        if started is None:
            return None
        first = Step(started[1], back=back)
        facts = self._run(Query(start=(started[0],), steps=(first, Step()))).facts
        relations = [one for one in dict.fromkeys(fact.relation for fact in facts) if one != started[1]]
        if not relations:
            return None
        relation = rng.choice(relations)
        sized = [fact for fact in facts if fact.relation == relation and measure(fact.object) is not None]
        scale = scale_of(relation, [fact.object for fact in sized])
        names = {fact.subject for fact in sized}
        if scale is None or (scale == "date") != dates or not 2 <= len(names) == len(sized) <= 4 * _MANY:
            return None
        if any(self._said(name) is None for name in names):
            return None
        return Query(start=(started[0],), steps=(first, Step(relation))), sized, scale

    def _extreme(self, rng: Rng, *, back: bool, dates: bool) -> Draft | None:
        group = self._group(rng, back=back, dates=dates)
        if group is None:
            return None
        query, _, scale = group
        more, word = self._adjective(rng, scale)
        query = Query(start=query.start, steps=query.steps, take="largest" if more else "smallest")
        if not self._few(query, 1, 1):
            return None
        return Draft(Inquiry(query=query, wanted="entities"), {**_slots(query), "more": word})

    def _after_year(self, rng: Rng) -> Draft | None:
        group = self._group(rng, back=True, dates=True)
        if group is None:
            return None
        query, sized, _ = group
        years = sorted({int(size.low // 10000) for fact in sized if (size := measure(fact.object)) is not None})
        free = [year for year in range(years[0] + 1, years[-1]) if year not in years]
        if not free:
            return None
        year = rng.choice(free)
        query = Query(start=query.start, steps=query.steps, take="more", than=f"{year}年")
        if not self._few(query, 1, _FEW) or self._graph.forms(query.than):
            return None
        return Draft(Inquiry(query=query, wanted="entities"), {**_slots(query), "year": str(year)})

    def _there(self, rng: Rng) -> Draft | None:
        first = self._way(rng, 1, back=False)
        if first is None:
            return None
        finding = self.find(first.inquiry)
        if finding is None or len(finding.answers) != 1:
            return None
        names = self._graph.forms(finding.answers[0])
        said = self._said(names[0]) if len(names) == 1 else None
        if said is None or said == first.slots["a"]:
            return None
        about = set(self._graph.relations(self._graph.forms(first.slots["a"])[0]))
        free = [one for one in self._graph.relations(names[0]) if one not in about]
        if not free:
            return None
        query = Query(start=(said,), steps=(Step(rng.choice(free)),))
        if not self._few(query, 1, _FEW):
            return None
        return Draft(Inquiry(query=query), {"s": query.steps[0].relation_names[0]}, (("first", *first[:2]),))

    def _other(self, rng: Rng) -> Draft | None:
        first = self._way(rng, 1, back=False)
        fact = rng.choice(self._facts)
        if first is None:
            return None
        relation = first.slots["r"]
        same = [one for one in (fact.subject, *_neighbours(fact, self._graph)) if one != first.slots["a"]]
        fitting = [said for one in same if relation in self._graph.relations(one) and (said := self._said(one))]
        if not fitting or _inside(fitting[0], first.slots["a"]):
            return None
        query = Query(start=(fitting[0],), steps=(Step(relation),))
        if not self._few(query, 1, _FEW):
            return None
        return Draft(Inquiry(query=query), {"b": fitting[0]}, (("first", *first[:2]),))

    def _than(self, rng: Rng) -> Draft | None:
        group = self._group(rng, back=False, dates=rng.happens(0.3))
        if group is None:
            return None
        query, sized, scale = group
        listed = Query(start=query.start, steps=query.steps[:1])
        if not self._few(listed, 2, _MANY):
            return None
        fact = rng.choice(sized)
        said, relation = without_suffix(fact.subject), fact.relation
        more, word = self._adjective(rng, scale)
        query = Query(start=query.start, steps=query.steps, take="more" if more else "less", than=said)
        asked = Query(start=(said,), steps=query.steps[1:])
        before = (
            ("first", Inquiry(query=listed), _slots(listed)),
            ("size", Inquiry(query=asked), {"b": said, "s": relation}),
        )
        return Draft(Inquiry(query=query, wanted="entities"), {"more": word}, before)


def _slots(query: Query) -> dict[str, str]:
    relations = [step.relation_names[0] for step in query.steps]
    start = {"v" if query.steps[0].back else "a": query.start[0]}
    return start | dict(zip("rst", relations, strict=False))


def _sayable(text: str) -> bool:
    return SHORTEST <= len(fold(text)) <= LONGEST and bool(_SAYABLE.fullmatch(text)) and not fold(text).isdigit()


def _inside(one: str, other: str) -> bool:
    return fold(one) in fold(other) or fold(other) in fold(one)


def _apart(one: Fact, other: Fact) -> bool:
    """Tell whether of the sizes of two facts one is surely the larger."""
    sizes = measure(one.object), measure(other.object)
    return sizes[0] is not None and sizes[1] is not None and (sizes[0].beyond(sizes[1]) or sizes[1].beyond(sizes[0]))


def _neighbours(fact: Fact, graph: Graph) -> tuple[str, ...]:
    """Return the entities that have a value of a fact."""
    values = values_of(fact)
    return tuple(dict.fromkeys(one.subject for one in graph.holders(values[0]))) if values else ()
