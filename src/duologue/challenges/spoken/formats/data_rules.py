"""Rules for data files: detection of the kind, and all problems of a file (specification, sections 2.1 to 2.3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from duologue.challenges.spoken.formats.message_rules import half_character, message_problems, repeated_keys
from duologue.challenges.spoken.schema.triples import plain
from duologue.core.decoded import is_whole, pointer, shown
from duologue.core.long_dialogues import long_dialogue
from duologue.core.problems import capped
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.challenges.spoken.formats.message_rules import Where
    from duologue.core.json_objects import Decoded

KINDS = {
    "dialogues": "a list of dialogues (train.json, valid.json)",
    "samples": "an object from sample id to a list of turns (test.json)",
    "gold": "an object from sample id to a reply (in the form of result.json)",
    "graph": "an object from entity to rows of entity, attribute and value (kg.json)",
}
"""Kinds of data files, described."""

_TOLERATED = frozenset({"attrs-empty", "key-unknown", "attr-key-unknown", "value-placeholder", "triple-repeated"})
"""Rules of a result file that data files need not keep."""


def kind_of(value: Any, kinds: Sequence[str]) -> str:
    """Return the most likely kind of a decoded file; its problems then say what differs.

    An object is classified by its first value. A kind outside `kinds` is returned too where the file clearly is of it,
    so that the message can name it.
    """
    if isinstance(value, list):
        return "dialogues"
    if not isinstance(value, dict):
        return kinds[0]
    first = next(iter(value.values()), None)
    if isinstance(first, dict):
        return "gold"
    if isinstance(first, list):
        if first and isinstance(first[0], list):
            return "graph"
        if not first and "graph" in kinds:
            return "graph"
        return "samples"
    return next((kind for kind in kinds if kind != "dialogues"), kinds[0])


def data_problems(decoded: Decoded, kind: str, kinds: Sequence[str] = ()) -> list[Problem]:
    """Return all problems of a data file of a kind; beyond 1,000 they are only counted.

    `kinds` are those that are accepted; any when empty.
    """
    value = decoded.value
    if kinds and kind not in kinds:
        expected = " or ".join(KINDS[one] for one in kinds)
        return [Problem(rule="other-file", message=f"this is {KINDS[kind]}; expected {expected}")]
    if not isinstance(value, list if kind == "dialogues" else dict):
        expected = " or ".join(KINDS[one] for one in kinds or (kind,))
        return [Problem(rule="not-data", message=f"the file holds {shown(value)}, expected {expected}")]
    found = _LOOK[kind](decoded)
    return list(capped(problem for problem in found if problem.rule not in _TOLERATED))


def _dialogue_problems(decoded: Decoded) -> Iterator[Problem]:
    for number, row in enumerate(decoded.value):
        if not isinstance(row, dict):
            message = f"found {shown(row)}, expected a dialogue with name and messages"
            yield Problem(rule="dialogue-not-object", place=pointer(number), message=message)
            continue
        yield from repeated_keys(row, (number,), decoded)
        if "name" in row:
            yield from _text_problems(row["name"], (number, "name"), "start-type", lists=True)
        if "messages" not in row:
            keys = ", ".join(shown(key) for key in list(row)[:5]) or "none"
            message = f"there are no 'messages'; keys found: {keys}"
            yield Problem(rule="messages-missing", place=pointer(number), message=message)
        else:
            yield from _turns_problems(row["messages"], (number, "messages"), decoded)
            if isinstance(row["messages"], list):
                yield from long_dialogue(len(row["messages"]), pointer(number, "messages"))


def _turns_problems(turns: Any, where: Where, decoded: Decoded) -> Iterator[Problem]:
    if not isinstance(turns, list) or not turns:
        found = "an empty list" if turns == [] else shown(turns)
        yield Problem(rule="turns-type", place=pointer(*where), message=f"found {found}, expected a list of turns")
        return
    for at, row in enumerate(turns):
        place = (*where, at)
        if not isinstance(row, dict):
            message = f"found {shown(row)}, expected an object with message"
            yield Problem(rule="turn-not-object", place=pointer(*place), message=message)
        else:
            yield from message_problems(row, place, decoded, data=True)


def _sample_problems(decoded: Decoded) -> Iterator[Problem]:
    yield from _id_problems(decoded)
    for name, turns in decoded.value.items():
        yield from _turns_problems(turns, (name,), decoded)


def _gold_problems(decoded: Decoded) -> Iterator[Problem]:
    yield from _id_problems(decoded)
    for name, row in decoded.value.items():
        if not isinstance(row, dict):
            message = f"found {shown(row)}, expected an object with message and attrs"
            yield Problem(rule="item-not-object", place=pointer(name), message=message)
        else:
            yield from message_problems(row, (name,), decoded, data=True)


def _id_problems(decoded: Decoded) -> Iterator[Problem]:
    yield from repeated_keys(decoded.value, (), decoded)
    for name in decoded.value:
        if not name:
            yield Problem(rule="id-empty", place=pointer(name), message="an id is empty")
        elif not is_whole(name):
            yield half_character(name, (name,))


def _graph_problems(decoded: Decoded) -> Iterator[Problem]:
    yield from _id_problems(decoded)
    for entity, rows in decoded.value.items():
        if not isinstance(rows, list):
            message = f"found {shown(rows)}, expected a list of rows"
            yield Problem(rule="graph-rows-type", place=pointer(entity), message=message)
            continue
        if _is_plain(entity, rows):
            continue
        for number, row in enumerate(rows):
            yield from _row_problems(row, entity, (entity, number))


def _is_plain(entity: str, rows: list[Any]) -> bool:
    """Return whether rows are well-formed in the common way, by a fast check: texts and integers, nothing wrong.

    Half a million rows are checked before a graph can be used; the rules one by one take four times as long.
    """
    texts = []
    for row in rows:
        if type(row) is not list or len(row) != 3:
            return False
        name, attribute, value = row
        if name != entity or type(attribute) is not str:
            return False
        if type(value) is str:
            texts.append(value)
        elif type(value) is not int:
            return False
        texts.append(attribute)
    return is_whole("".join(texts))


def _row_problems(row: Any, entity: str, where: Where) -> Iterator[Problem]:
    if not isinstance(row, list) or len(row) != 3:
        found = f"a list of {len(row)}" if isinstance(row, list) else shown(row)
        message = f"found {found}, expected a list of entity, attribute and value"
        yield Problem(rule="graph-row-type", place=pointer(*where), message=message)
        return
    for at, value in enumerate(row):
        yield from _text_problems(value, (*where, at), "graph-value-type", lists=at == 2)
    if isinstance(row[0], str | int | float) and plain(row[0]) != entity:
        message = f"the row is about {shown(row[0])}, its key is {shown(entity)}; both must be the same"
        yield Problem(rule="graph-entity-differs", place=pointer(*where), message=message)


def _text_problems(value: Any, where: Where, rule: str, *, lists: bool) -> Iterator[Problem]:
    for part in value if lists and isinstance(value, list) else [value]:
        if isinstance(part, str) and not is_whole(part):
            yield half_character(part, where)
        elif not isinstance(part, str | int | float) or (isinstance(part, float) and not math.isfinite(part)):
            yield Problem(rule=rule, place=pointer(*where), message=f"found {shown(part)}, expected a text or a number")


_LOOK = {
    "dialogues": _dialogue_problems,
    "samples": _sample_problems,
    "gold": _gold_problems,
    "graph": _graph_problems,
}
