"""JSON in what a chat model says: beside words, in a fence, after thoughts; nothing is guessed."""

from __future__ import annotations

import json
import re
from typing import Any

from duologue.core.decoded import all_whole

_TRAILING_COMMA = re.compile(r",(?=\s{0,40}[}\]])")
_MOST_STARTS = 50
"""Opening brackets that are tried."""
_DEEPEST = 100
_THOUGHTS_END = "</think>"


def without_thoughts(text: str) -> str:
    """Return what follows the thoughts of a reasoning model; one that never ends them has said nothing.

    >>> without_thoughts("<think>hm</think> yes"), without_thoughts("<think>hm")
    (' yes', '')
    """
    if _THOUGHTS_END in text:
        return text.rpartition(_THOUGHTS_END)[2]
    return "" if text.lstrip().startswith("<think>") else text


def found_json(text: str, kind: type[dict[str, Any] | list[Any]] = dict) -> Any:
    """Return the first JSON object (or list) in a text, `None` where there is none. Trailing commas are forgiven.

    >>> found_json('Sure: {"a": [1, 2,]} I hope that helps')
    {'a': [1, 2]}
    """
    said = without_thoughts(text)
    for version in dict.fromkeys((said, _TRAILING_COMMA.sub("", said))):
        start = -1
        for _ in range(_MOST_STARTS):
            start = version.find("{" if kind is dict else "[", start + 1)
            if start < 0:
                break
            try:
                value, _ = _DECODER.raw_decode(version, start)
            except (ValueError, RecursionError):
                continue
            if not _is_deep(value):
                return all_whole(value)
    return None


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
