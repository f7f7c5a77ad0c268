"""Trace of an answer: the entity, the query and the triples that a system used, for display."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from duologue.core.records import Fact, Record
from duologue.knowledge.query import Query, Step

if TYPE_CHECKING:
    from duologue.core.protocols import System
    from duologue.core.records import Answer, Sample


class Trace(Record, frozen=True, kw_only=True):
    """How one answer was found."""

    entity: str | None = None
    """Full name of the entity that the dialogue is about; `None` where no knowledge is needed."""
    query: Query | None = None
    """The query to the graph."""
    facts: tuple[Fact, ...] = ()
    """The triples selected for the reply."""


@runtime_checkable
class Tracing(Protocol):
    """A system that can trace its answers."""

    def trace(self, sample: Sample) -> Trace:
        """Return the trace of the answer to a sample; `facts` are those of that answer. After `prepare` only."""
        ...


def trace_of(system: System, sample: Sample, answer: Answer) -> Trace:
    """Return a system's trace of an answer, or one derived from the answer's facts."""
    if isinstance(system, Tracing):
        return system.trace(sample)
    facts = answer.annotation.facts if answer.annotation is not None else ()
    if not facts:
        return Trace()
    entities = tuple(dict.fromkeys(fact.subject for fact in facts))
    relations = tuple(dict.fromkeys(fact.relation for fact in facts))
    return Trace(entity=entities[0], query=Query(start=entities, steps=(Step(relations),)), facts=facts)
