"""Ways in which a file comes to harm: bytes that are cut off or flipped, and values of JSON that become others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

ODD: tuple[Any, ...] = ("x", "", -1, 2**70, 0.5, True, None, [], ["x"], {}, {"x": 1}, [[1]], "\ud800", "a\nb\x1b[2J")
"""Values that stand where others should."""


@st.composite
def harmed(draw: st.DrawFn, data: bytes) -> bytes:
    """Return bytes with one or two harms done to them; JSON keeps its form in most cases."""
    for _ in range(draw(st.integers(1, 2))):
        data = draw(st.one_of(_cut(data), _flipped(data), *([_replaced(data)] * 3 if _is_json(data) else [])))
    return data


def _cut(data: bytes) -> st.SearchStrategy[bytes]:
    return st.integers(0, max(len(data) - 1, 0)).map(lambda end: data[:end])


@st.composite
def _flipped(draw: st.DrawFn, data: bytes) -> bytes:
    place = draw(st.integers(0, max(len(data) - 1, 0)))
    return data[:place] + bytes([draw(st.integers(0, 255))]) + data[place + 1 :]


@st.composite
def _replaced(draw: st.DrawFn, data: bytes) -> bytes:
    value = json.loads(data)
    place = draw(st.sampled_from(list(_places(value))[:400]))
    return json.dumps(_with(value, place, draw(st.sampled_from([*ODD, ...])))).encode()


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _places(part, (*place, key))


def _with(value: Any, place: tuple[Any, ...], other: Any) -> Any:
    """Return a value with another at a place; `...` takes what stands there out."""
    if not place:
        return None if other is ... else other
    key, *rest = place
    made = dict(value) if isinstance(value, dict) else list(value)
    if other is ... and not rest:
        del made[key]
    else:
        made[key] = _with(value[key], tuple(rest), other)
    return made


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
