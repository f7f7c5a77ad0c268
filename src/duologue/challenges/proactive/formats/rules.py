"""Validation rules for data files: finds all problems of a decoded session or sample (specification, section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.proactive.schema import START
from duologue.core import disk, long_dialogues, problems
from duologue.core.decoded import is_whole, shown
from duologue.core.long_dialogues import MAX_UTTERANCES, long_dialogue
from duologue.core.records import Problem
from duologue.core.typed import convert

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA_RULES = {
    **disk.TEXT_RULES,
    "byte-order-mark": "the text starts without a byte order mark (a warning)",
    "not-json": "each line is JSON",
    "no-rows": "a data file has at least one line",
    "row-not-object": "each line is an object",
    "row-form": "each line is a session (with `conversation`) or a sample (with `history`), all alike",
    "row-repeated": "no two rows have the same `id`",
    "goal-missing": "each row has a `goal`",
    "goal-type": "a `goal` is a list of rows of three texts",
    "goal-start": "the first row of a `goal` is START, topic A, topic B",
    "knowledge-missing": "each row has `knowledge`",
    "knowledge-type": "`knowledge` is a list of triples of texts",
    "turns-type": "`conversation` and `history` are lists of texts",
    "history-odd": "a `history` ends with the user, or is empty: its length is even",
    "response-type": "a `response` is a text",
    "text-surrogate": "a text holds whole characters; half a surrogate pair cannot be written as UTF-8",
    long_dialogues.RULE: long_dialogues.RULE_SAYS,
    "domain-missing": "model text needs the domain (领域) of both topics among the knowledge",
    problems.RULE: problems.RULE_SAYS,
}
"""Rule id -> what it requires of a data file."""


def form_of(row: Any) -> str | None:
    """Return `session` or `sample`, or `None` for a row that is neither."""
    if isinstance(row, dict):
        if "conversation" in row:
            return "session"
        if "history" in row:
            return "sample"
    return None


class _Session(msgspec.Struct, gc=False):
    """Fast schema of a valid session; the START cell is checked separately."""

    goal: list[tuple[str, str, str]]
    knowledge: list[tuple[str, str, str]]
    conversation: list[str]


class _Sample(msgspec.Struct, gc=False):
    """Fast schema of a valid sample; the START cell and the length of the history are checked separately."""

    goal: list[tuple[str, str, str]]
    knowledge: list[tuple[str, str, str]]
    history: list[str]
    response: str | msgspec.UnsetType = msgspec.UNSET


_REGULAR: dict[str, type[_Session | _Sample]] = {"session": _Session, "sample": _Sample}


def is_regular(row: Any, form: str | None) -> bool:
    """Whether a row is certainly valid, checked fast; otherwise `row_problems` decides."""
    mine = form_of(row)
    if mine is None or (form is not None and mine != form):
        return False
    try:
        if mine == "session":
            session = convert(row, _Session)
            goal = session.goal if len(session.conversation) <= MAX_UTTERANCES else []
        else:
            sample = convert(row, _Sample)
            goal = sample.goal if not len(sample.history) % 2 else []
    except msgspec.ValidationError:
        return False
    return bool(goal) and goal[0][0] == START


def row_problems(row: Any, form: str | None) -> Iterator[Problem]:
    """Yield the problems of one row; `form` is the form of the file, `None` while unknown."""
    if not isinstance(row, dict):
        yield Problem(rule="row-not-object", message=f"found {shown(row)}, expected a session or a sample")
        return
    mine = form_of(row)
    if mine is None:
        keys = ", ".join(repr(key) for key in list(row)[:5])
        message = f"there is neither 'conversation' nor 'history', only {keys or 'nothing'}"
        yield Problem(rule="row-form", message=message, advice="give a session or a sample file of the challenge")
        return
    if form is not None and mine != form:
        yield Problem(rule="row-form", message=f"this is a {mine} in a file of {form}s", advice="split the file")
    yield from _goal_problems(row)
    yield from _triples(row, "knowledge")
    if mine == "session":
        yield from _texts(row["conversation"], "conversation")
        if isinstance(row["conversation"], list):
            yield from long_dialogue(len(row["conversation"]), "conversation")
    else:
        yield from _texts(row["history"], "history")
        if isinstance(row["history"], list) and len(row["history"]) % 2:
            message = f"'history' has {len(row['history'])} utterances; it ends with the user, so their number is even"
            yield Problem(rule="history-odd", message=message)
        if "response" in row:
            yield from _text(row["response"], "response", "response-type")


def _goal_problems(row: dict[str, Any]) -> Iterator[Problem]:
    found = list(_triples(row, "goal"))
    yield from found
    goal = row.get("goal")
    if not found and (not goal or goal[0][0] != START):
        message = f"the first row is {goal[0] if goal else 'missing'}, expected ['START', topic A, topic B]"
        yield Problem(rule="goal-start", message=message)


def _triples(row: dict[str, Any], field: str) -> Iterator[Problem]:
    if field not in row:
        yield Problem(rule=f"{field}-missing", message=f"there is no '{field}'")
        return
    rows = row[field]
    if not isinstance(rows, list):
        yield Problem(rule=f"{field}-type", message=f"'{field}' is {shown(rows)}, expected a list of triples")
        return
    for number, triple in enumerate(rows):
        if not isinstance(triple, list) or len(triple) != 3:
            message = f"found {shown(triple)}, expected three texts"
            yield Problem(rule=f"{field}-type", place=f"{field} {number}", message=message)
            continue
        for cell in triple:
            yield from _text(cell, f"{field} {number}", f"{field}-type")


def _texts(value: Any, field: str) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield Problem(rule="turns-type", message=f"'{field}' is {shown(value)}, expected a list of texts")
        return
    for number, text in enumerate(value):
        yield from _text(text, f"{field} {number}", "turns-type")


def _text(value: Any, place: str, rule: str) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield Problem(rule=rule, place=place, message=f"found {shown(value)}, expected a text")
    elif not is_whole(value):
        yield Problem(rule="text-surrogate", place=place, message=f"found {shown(value)}, half a surrogate pair")
