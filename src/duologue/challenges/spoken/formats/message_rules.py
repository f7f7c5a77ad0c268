"""Rules for a message and its triples, shared by data files and result files."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from duologue.challenges.spoken.schema.triples import KEYS, NAME, VALUE, key_of
from duologue.core.decoded import is_whole, pointer, shown
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.core.json_objects import Decoded

Where = tuple[str | int, ...]
"""Path of keys and indexes to a place in a file."""

_PLACEHOLDERS = frozenset({"", "none", "null", "nan", "n/a"})
"""Placeholders for a missing value, in lower case."""


def message_problems(row: dict[str, Any], where: Where, decoded: Decoded, *, data: bool = False) -> Iterator[Problem]:
    """Yield the problems of an object `{"message": ..., "attrs": [...]}`: a turn, a gold or a submitted reply.

    In `data` the name of a triple may be a list too (the baseline's code expects that of training files).
    """
    yield from repeated_keys(row, where, decoded)
    if "message" not in row:
        keys = ", ".join(shown(key) for key in list(row)[:5]) or "none"
        problem = f"there is no 'message'; keys found: {keys}"
        yield Problem(rule="message-missing", place=pointer(*where), message=problem, advice=_near("message", row))
    elif not isinstance(row["message"], str):
        problem = f"'message' is {shown(row['message'])}, expected a text"
        yield Problem(rule="message-type", place=pointer(*where, "message"), message=problem)
    elif not is_whole(row["message"]):
        yield half_character(row["message"], (*where, "message"))
    if "attrs" in row:
        yield from _attrs_problems(row["attrs"], (*where, "attrs"), decoded, data=data)
    elif _near("attrs", row):
        problem = "there is no 'attrs' but a key much like it"
        yield Problem(rule="key-unknown", place=pointer(*where), message=problem, advice=_near("attrs", row))
    for key in row:
        if key not in {"message", "attrs"} and not _alike(key, "message") and not _alike(key, "attrs"):
            yield Problem(rule="key-unknown", place=pointer(*where), message=f"key {shown(key)} is not looked at")


def _attrs_problems(attrs: Any, where: Where, decoded: Decoded, *, data: bool) -> Iterator[Problem]:
    if not isinstance(attrs, list):
        message = f"'attrs' is {shown(attrs)}, expected a list of triples"
        yield Problem(rule="attrs-type", place=pointer(*where), message=message)
        return
    if not attrs:
        message = "'attrs' is an empty list; it is left out where no knowledge is used"
        yield Problem(rule="attrs-empty", place=pointer(*where), message=message)
    seen: dict[Any, int] = {}
    for number, attr in enumerate(attrs):
        place = (*where, number)
        found = list(_attr_problems(attr, place, decoded, data=data))
        yield from found
        if any(problem.rule not in MILD for problem in found):
            continue
        first = seen.setdefault(key_of(attr), number)
        if first != number:
            message = f"the triple is the same as that of {pointer(*where, first)}"
            yield Problem(rule="triple-repeated", place=pointer(*place), message=message)


MILD = frozenset({"attr-key-unknown", "value-placeholder"})
"""Rules whose violation leaves a comparable triple."""


def _attr_problems(attr: Any, where: Where, decoded: Decoded, *, data: bool) -> Iterator[Problem]:
    if not isinstance(attr, dict):
        message = f"found {shown(attr)}, expected an object with name, attrname and attrvalue"
        yield Problem(rule="attr-not-object", place=pointer(*where), message=message)
        return
    yield from repeated_keys(attr, where, decoded)
    for key in [key for key in KEYS if key not in attr]:
        message = f"there is no '{key}'"
        yield Problem(rule="attr-key-missing", place=pointer(*where), message=message, advice=_near(key, attr))
    for key in [key for key in attr if key not in KEYS]:
        message = f"key {shown(key)} is not looked at"
        yield Problem(rule="attr-key-unknown", place=pointer(*where), message=message)
    for key in KEYS:
        if key in attr:
            listed = key == VALUE or (data and key == NAME)
            expected = "a text, a number or a list of them" if listed else "a text or a number"
            for part in _parts(attr[key]) if listed else (attr[key],):
                yield from _scalar_problems(part, (*where, key), f"{key}-type", expected)


def _parts(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _scalar_problems(value: Any, where: Where, rule: str, expected: str) -> Iterator[Problem]:
    number = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    if isinstance(value, str) and not is_whole(value):
        yield half_character(value, where)
    elif not isinstance(value, str) and not number:
        yield Problem(rule=rule, place=pointer(*where), message=f"found {shown(value)}, expected {expected}")
    elif isinstance(value, str) and value.strip().lower() in _PLACEHOLDERS:
        message = f"{shown(value)} stands for no value; as a triple it counts as wrong"
        yield Problem(rule="value-placeholder", place=pointer(*where), message=message)


def half_character(text: str, where: Where) -> Problem:
    """Return the problem of a text with half a surrogate pair."""
    message = f"{shown(text)} holds half a surrogate pair, which is no character"
    return Problem(rule="half-character", place=pointer(*where), message=message)


def repeated_keys(value: Any, where: Where, decoded: Decoded) -> Iterator[Problem]:
    """Yield the keys that an object repeats."""
    for key in decoded.keys_repeated(value):
        message = f"key {shown(key)} occurs more than once; only the last is read"
        yield Problem(rule="key-repeated", place=pointer(*where), message=message)


def _alike(key: str, field: str) -> bool:
    return key != field and key.strip().lower().rstrip("s") == field.rstrip("s")


def _near(field: str, row: dict[str, Any]) -> str:
    """Return advice where the row has a near miss of the field: other case, blanks, a plural."""
    found = next((key for key in row if _alike(key, field)), None)
    return "" if found is None else f"rename {shown(found)} to '{field}'"
