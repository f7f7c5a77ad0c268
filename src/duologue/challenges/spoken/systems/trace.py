"""What a system did to find its answer, for people to see: entity, query and triples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from duologue.core.records import Fact, Record
from duologue.knowledge.query import Query, Step

if TYPE_CHECKING:
    from duologue.core.protocols import System
    from duologue.core.records import Answer, Sample


class Trace(Record, frozen=True, kw_only=True):
    """The way of one answer."""

    entity: str | None = None
    """The entity that the talk is about, by its full name; `None` where no knowledge is wanted."""
    query: Query | None = None
    """What the graph was asked."""
    facts: tuple[Fact, ...] = ()
    """The triples chosen for the reply."""


@runtime_checkable
class Tracing(Protocol):
    """A system that can tell what it did."""

    def trace(self, sample: Sample) -> Trace:
        """Return the way to the answer to a sample; `facts` are those of that answer. After `prepare` only."""
        ...


def trace_of(system: System, sample: Sample, answer: Answer) -> Trace:
    """Return what a system tells of its way, or what its answer shows of it."""
    if isinstance(system, Tracing):
        return system.trace(sample)
    facts = answer.annotation.facts if answer.annotation is not None else ()
    if not facts:
        return Trace()
    entities = tuple(dict.fromkeys(fact.subject for fact in facts))
    relations = tuple(dict.fromkeys(fact.relation for fact in facts))
    return Trace(entity=entities[0], query=Query(start=entities, steps=(Step(relations),)), facts=facts)
