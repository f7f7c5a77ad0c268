"""JSON in what a chat model says: beside words, in a fence, after thoughts; nothing is guessed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from duologue.core.decoded import all_whole
from duologue.core.thoughts import THOUGHTS_BEGIN, THOUGHTS_END, without_thoughts

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRAILING_COMMA = re.compile(r",(?=\s{0,40}[}\]])")
_MAX_STARTS = 50
"""Opening brackets that are tried."""
_DEEPEST = 100


def found_json(text: str, kind: type[dict[str, Any] | list[Any]] = dict) -> Any:
    """Return the first JSON object (or list) in a text, `None` where there is none. Trailing commas are forgiven.

    >>> found_json('Sure: {"a": [1, 2,]} I hope that helps')
    {'a': [1, 2]}
    """
    said = without_thoughts(text)
    mark = text.rfind(THOUGHTS_END)
    if mark >= 0 and not text.lstrip().startswith(THOUGHTS_BEGIN):  # in a text of the object it ends no thoughts
        for start, end, value in _decoded(text, kind):
            if start < mark < end:
                return value
    for version in dict.fromkeys((said, _TRAILING_COMMA.sub("", said))):
        for _, _, value in _decoded(version, kind):
            return value
    return None


def _decoded(text: str, kind: type[dict[str, Any] | list[Any]]) -> Iterator[tuple[int, int, Any]]:
    """Yield start, end and value of what is JSON at one of the first brackets."""
    start = -1
    for _ in range(_MAX_STARTS):
        start = text.find("{" if kind is dict else "[", start + 1)
        if start < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if not _is_deep(value):
            yield start, end, all_whole(value)


def _is_deep(value: Any) -> bool:
    """Tell whether lists and objects lie deeper in each other than an answer's do: Pythons give up at other depths."""
    layer = [value]
    for _ in range(_DEEPEST):
        layer = [
            inner
            for one in layer
            if isinstance(one, list | dict)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not layer:
            return False
    return True


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refused)


def texts_of(value: Any) -> list[str]:
    """Return the texts in a list, or a text alone as a list of one; nothing of anything else."""
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def other_than_texts(value: Any) -> int:
    """Return how many parts of what should be texts are none, and so are not among `texts_of`.

    >>> other_than_texts(["a", 1, {}]), other_than_texts({"a": "b"}), other_than_texts("a"), other_than_texts(None)
    (2, 1, 0, 0)
    """
    if isinstance(value, list):
        return sum(not isinstance(one, str) for one in value)
    return int(not isinstance(value, str | None))
