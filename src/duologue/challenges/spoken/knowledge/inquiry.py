"""An inquiry to a knowledge graph: a query and what of its result is the answer; the answer in words with its evidence.

For questions that need several triples: reverse look-up, hops, comparison, extremes, counts, lists, dates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from duologue.core.records import Fact, Record
from duologue.knowledge.graph import values_of
from duologue.knowledge.normalization import without_suffix
from duologue.knowledge.query import Query, evidence, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Scalar
    from duologue.knowledge.graph import Graph
    from duologue.knowledge.query import QueryResult

Wanted = Literal["values", "entities", "count"]
"""What of the facts found is the answer."""

_TOLD = 4
"""Facts of the evidence that a reply tells."""
_CLIPPED = 60
"""Characters of a value that a reply tells."""
_STOPS = "。！？!?；;，, "
NOTHING = "没有"


class Inquiry(Record, frozen=True, kw_only=True):
    """A query, and what of the facts that it finds is asked for."""

    query: Query
    wanted: Wanted = "values"


class Finding(Record, frozen=True, kw_only=True):
    """What a graph says to an inquiry."""

    facts: tuple[Fact, ...]
    """The evidence: the facts of the answer and of the hops that lead to them."""
    answers: tuple[str, ...]
    """What a reply must say: names without their suffix, values, a number."""
    rivals: tuple[str, ...] = ()
    """What was compared and is not the answer: a reply must not name it before the answer."""
    text: str
    """A reply in Chinese: the answer, then what it rests on."""


def find(inquiry: Inquiry, graph: Graph) -> Finding | None:
    """Return what the graph says; `None` where it says nothing.

    To `more` and `less` the answer that there is nothing is one, too, where that is certain. The order of the graph's
    facts plays no part.
    """
    query = inquiry.query
    result = run(query, graph)
    result = msgspec.structs.replace(result, facts=_ordered(result.facts, query))
    facts = _ordered(evidence(query, graph), query)
    if query.take in {"more", "less"}:
        if not facts or not any(found for _, found in result.groups) or not (result.facts or result.certain):
            return None
    elif not result.facts:
        return None
    answers = _answers(inquiry, result)
    rivals: tuple[str, ...] = ()
    if query.take in {"largest", "smallest"} and len(query.start) > 1:
        rivals = tuple(name for fact in facts if (name := without_suffix(fact.subject)) not in answers)
    return Finding(facts=facts, answers=answers, rivals=rivals, text=_reply(inquiry, answers, facts))


def _ordered(facts: Iterable[Fact], query: Query) -> tuple[Fact, ...]:
    """Return facts by the step that they belong to, then by their texts."""

    def place(fact: Fact) -> tuple[int, str, str, str]:
        step = next((number for number, one in enumerate(query.steps) if one.takes(fact.relation)), len(query.steps))
        return step, fact.subject, fact.relation, str(fact.object)

    return tuple(sorted(facts, key=place))


def _answers(inquiry: Inquiry, result: QueryResult) -> tuple[str, ...]:
    if not result.facts:
        return (NOTHING,)
    if inquiry.wanted == "entities":
        return tuple(dict.fromkeys(without_suffix(name) for name in result.entities))
    values = tuple(dict.fromkeys(_shown(value) for value in _values(inquiry.query, result.facts)))
    if inquiry.wanted == "values":
        return values
    back = inquiry.query.steps[-1].back
    return (f"{len(result.entities) if back else len(values)}个",)


def _values(query: Query, facts: Iterable[Fact]) -> Iterable[Scalar]:
    """Yield the values of facts: the subjects where the last step goes back."""
    for fact in facts:
        yield from (fact.subject,) if query.steps[-1].back else values_of(fact)


def _shown(value: Scalar) -> str:
    text = str(value)
    return text if len(text) <= _CLIPPED else text[: _CLIPPED - 1] + "…"


def _reply(inquiry: Inquiry, answers: Sequence[str], facts: Sequence[Fact]) -> str:
    query = inquiry.query
    plain = len(query.steps) == 1 and query.take == "all"
    told = "，".join(
        f"{without_suffix(one.subject)}的{one.relation}是{'、'.join(map(_shown, values_of(one)))}".rstrip(_STOPS)
        for one in facts[:_TOLD]
    )
    listed = "、".join(one.rstrip(_STOPS) or one for one in answers)
    if answers == (NOTHING,):
        return f"{NOTHING}，{told}。"
    compared = len(query.start) > 1 and query.take in {"largest", "smallest"}
    equal = compared and {without_suffix(one.subject) for one in facts} == set(answers)
    lead = "一共有" if inquiry.wanted == "count" else "有，" if query.take in {"more", "less"} else "是"
    lead = "一样，" if equal else lead
    return f"{lead}{listed}。" if plain else f"{lead}{listed}。{told}。"
