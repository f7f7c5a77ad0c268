"""Values of known types from JSON, TOML, MessagePack and decoded data, safe in threads.

msgspec looks a type up when it is first used, and what it finds stands on the class before it is whole: another thread
that decodes into the same type meanwhile reads what is not there yet, and the process dies (msgspec 0.22: segmentation
fault). Here one thread looks and the others wait; afterwards nobody does.
"""

from __future__ import annotations

import threading
import tomllib
from typing import Any, TypeVar

import msgspec

Value = TypeVar("Value")

_UNREADABLE = (UnicodeError, RecursionError, OverflowError, SystemError)
"""What msgspec lets through for bytes that are no UTF-8, half a character where one of some words is expected, data
that are nested too deeply, and integers that no float can be (msgspec 0.21: an error of the interpreter)."""
_LARGEST = 10**1000
"""Integers of TOML below this can be printed; Python refuses more than 4,300 digits."""
_DEEPEST = 100
"""Levels of TOML; dotted keys nest without end, and what goes through them calls itself."""
_looking = threading.RLock()
_known: set[Any] = set()


def convert(value: Any, kind: type[Value]) -> Value:
    """Return decoded data as a value of a type. Raises `msgspec.ValidationError` where it is none.

    >>> convert([1, 2], tuple[int, ...])
    (1, 2)
    """
    _look_up(kind)
    try:
        return msgspec.convert(value, kind)
    except _UNREADABLE as error:
        raise msgspec.ValidationError(str(error.__cause__ or error)) from error


def decode_json(data: bytes | str, kind: type[Value]) -> Value:
    """Return the value of a type that JSON holds. Raises `msgspec.DecodeError`, for other types `ValidationError`.

    >>> decode_json("[1, 2]", tuple[int, ...])
    (1, 2)
    """
    _look_up(kind)
    try:
        return msgspec.json.decode(data, type=kind)
    except _UNREADABLE as error:
        raise msgspec.DecodeError(str(error.__cause__ or error)) from error


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table that TOML holds. Raises `msgspec.DecodeError` for what is none, or cannot be taken in.

    >>> parse_toml("a = 1")
    {'a': 1}
    """
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # an integer of thousands of digits is a plain `ValueError`
        raise msgspec.DecodeError(str(error.__cause__ or error)) from error
    level: list[Any] = [table]
    for _ in range(_DEEPEST):
        if any(isinstance(one, int) and not -_LARGEST < one < _LARGEST for one in level):
            raise msgspec.DecodeError("an integer has more than 1,000 digits")
        level = [
            below
            for one in level
            if isinstance(one, dict | list)
            for below in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return table
    raise msgspec.DecodeError(f"it is nested more than {_DEEPEST} levels deep")


def decode_toml(data: bytes | str, kind: type[Value]) -> Value:
    """Return the value of a type that TOML holds. Raises `msgspec.DecodeError`, for other types `ValidationError`.

    >>> decode_toml("a = 1", dict[str, int])
    {'a': 1}
    """
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(str(error.__cause__ or error)) from error
    return convert(parse_toml(text), kind)


def decode_msgpack(data: bytes, kind: type[Value]) -> Value:
    r"""Return the value of a type that MessagePack holds. Raises `msgspec.DecodeError`, for other types its subclass.

    >>> decode_msgpack(b"\x92\x01\x02", tuple[int, ...])
    (1, 2)
    """
    _look_up(kind)
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except _UNREADABLE as error:
        raise msgspec.DecodeError(str(error.__cause__ or error)) from error


def _look_up(kind: Any) -> None:
    if kind not in _known:
        with _looking:
            msgspec.json.Decoder(kind)
            _known.add(kind)
