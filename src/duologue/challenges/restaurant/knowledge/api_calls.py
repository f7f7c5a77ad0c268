"""API calls to the knowledge base and the fact lines that they return (specification, section 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.knowledge.facts import fact_utterance
from duologue.challenges.restaurant.schema.templates import API_CALL
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.knowledge.base import KnowledgeBase


class ApiCall(Record, frozen=True):
    """An `api_call` whose arguments are resolved to relations of a knowledge base."""

    arguments: tuple[str, ...]
    """The values of the call, in its order."""
    conditions: dict[str, str] = {}
    """Relation of the knowledge base to the value it must have."""
    unknown: tuple[str, ...] = ()
    """Arguments that are no value of the knowledge base: such a call matches nothing."""


class ApiResult(Record, frozen=True):
    """Restaurants that match an `api_call`, with their fact lines."""

    call: ApiCall
    names: tuple[str, ...] = ()
    """The matching restaurants, in the order of the knowledge base."""
    lines: tuple[str, ...] = ()
    """The fact lines of the restaurants that are listed."""


def arguments_of(text: str) -> tuple[str, ...] | None:
    """Return the values of an `api_call`, or `None` when the text is none.

    >>> arguments_of("api_call thai hanoi two cheap casual")
    ('thai', 'hanoi', 'two', 'cheap', 'casual')
    """
    words = text.split()
    return tuple(words[1:]) if words and words[0] == API_CALL else None


def parse_call(text: str, base: KnowledgeBase) -> ApiCall | None:
    """Resolve the arguments of an `api_call` to relations; `None` when the text is no call.

    A value of several relations goes to the first (in file order) that no earlier argument took.
    """
    arguments = arguments_of(text)
    if arguments is None:
        return None
    conditions: dict[str, str] = {}
    unknown = []
    for value in arguments:
        free = [relation for relation in base.relations_of(value) if relation not in conditions]
        if free:
            conditions[free[0]] = value
        else:
            unknown.append(value)
    return ApiCall(arguments=arguments, conditions=conditions, unknown=tuple(unknown))


def execute(text: str, base: KnowledgeBase, *, limit: int | None = None) -> ApiResult | None:
    """Run an `api_call`; `None` when the text is no call.

    All matches are named; the lines are those of the first `limit` (of all by default). A call without
    arguments, or with one that the knowledge base does not know, matches nothing.
    """
    call = parse_call(text, base)
    if call is None:
        return None
    if call.unknown or not call.conditions:
        return ApiResult(call=call)
    names = tuple(base.find(call.conditions))
    return ApiResult(call=call, names=names, lines=tuple(fact_lines(base, names[:limit])))


def fact_lines(base: KnowledgeBase, names: Iterable[str]) -> list[str]:
    """Return the lines `<name> r_<field> <value>` of the restaurants, each with its fields in file order."""
    return [fact_utterance(fact) for name in names for fact in base.about(name)]


def call_text(values: Sequence[str]) -> str:
    """Return the `api_call` with these values, which must stand in the order of the call.

    >>> call_text(["thai", "hanoi"])
    'api_call thai hanoi'
    """
    return " ".join((API_CALL, *values))
