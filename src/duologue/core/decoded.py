"""Decoded JSON values in messages: how they are shown, and whether their texts can be encoded."""

from __future__ import annotations

from typing import Any

import msgspec

from duologue.core.errors import UsageError

_FEW = 4
"""The most numbers of a list that are spelled: positions, spans."""
_LARGE = 10**18


def shown(value: Any) -> str:
    """Return a decoded value in few words for a message; nested ones are named, not spelled, but for a few numbers.

    >>> shown("x"), shown(None), shown(["x"]), shown([3, 2])
    ("'x'", 'null', 'a list of 1', '[3, 2]')
    """
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:57] + "...")
    if isinstance(value, list):
        few = 0 < len(value) <= _FEW and all(type(one) in {int, float} and abs(one) < _LARGE for one in value)
        return str(value) if few else f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) >= _LARGE:
        return "a number of more than 18 digits"  # Python refuses to print thousands of digits
    return str(value)


def is_whole(text: str) -> bool:
    r"""Tell whether a text can be written as UTF-8: it holds no half of a surrogate pair.

    >>> is_whole("x"), is_whole("\ud800")
    (True, False)
    """
    try:
        return text.isascii() or bool(text.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def is_text(value: Any) -> bool:
    r"""Tell whether a decoded value is a text that can be written as UTF-8.

    >>> is_text("x"), is_text("\ud800"), is_text(1)
    (True, False, False)
    """
    return isinstance(value, str) and is_whole(value)


def made_whole(text: str) -> str:
    r"""Return a text with each half of a surrogate pair escaped as in JSON, so that it can be written.

    >>> made_whole("x\ud800"), made_whole("x")
    ('x\\ud800', 'x')
    """
    return text if is_whole(text) else text.encode("utf-8", "backslashreplace").decode("utf-8")


def all_whole(value: Any) -> Any:
    r"""Return decoded JSON with every text in it, keys among them, as `made_whole` gives it.

    >>> all_whole({"x\ud800": ["y", 1]})
    {'x\\ud800': ['y', 1]}
    """
    if isinstance(value, str):
        return made_whole(value)
    if isinstance(value, list):
        return [all_whole(one) for one in value]
    return {made_whole(key): all_whole(one) for key, one in value.items()} if isinstance(value, dict) else value


def pointer(*steps: str | int) -> str:
    """Return a JSON pointer (RFC 6901); half a surrogate pair, which cannot be written, is escaped as in JSON.

    >>> pointer("1", "attrs", 0, "a/b")
    '/1/attrs/0/a~1b'
    """
    place = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return made_whole(place)


def as_json(value: Any, what: str) -> bytes:
    r"""Return a record as JSON. Raises `UsageError`, which calls it `what`, for half of a surrogate pair in it.

    >>> as_json(["x"], "the list")
    b'["x"]'
    """
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError as error:
        half = made_whole(error.object[error.start : error.start + 1])
        raise UsageError(
            f"{what} holds {half}, half of a character, which no file can hold; take it out of the data"
        ) from error
