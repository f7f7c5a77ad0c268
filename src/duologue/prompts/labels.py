"""Labels of candidates in a prompt, and the orders of them that a model writes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.core.thoughts import without_thoughts
from duologue.prompts.json_answer import found_json

if TYPE_CHECKING:
    from collections.abc import Sequence

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WORD = re.compile(r"[A-Za-z0-9]+")
_FIRST = re.compile(r"[\s\"'(\[*`]{0,9}([A-Z]|[0-9]{1,4})(?:[\s\"')\]*`]{0,9}$|[.:)\n])")
"""A label alone, or one with a mark behind it; `A reply` is none."""


def labels(count: int) -> list[str]:
    """Return short names for so many candidates: letters, or numbers where there are more than 26.

    >>> labels(3), labels(40)[-1]
    (['A', 'B', 'C'], '40')
    """
    return list(_LETTERS[:count]) if count <= len(_LETTERS) else [str(number) for number in range(1, count + 1)]


def order_in(text: str, known: Sequence[str]) -> list[str] | None:
    """Return the labels that a model ranks, best first, each once; `None` where it does not.

    It may write the JSON that it was asked for, a list, or labels with signs between them. Labels of nothing are
    left out.

    >>> order_in('{"ranking": ["B", "A", "B"]}', ["A", "B", "C"]), order_in("1. C 2. A", ["A", "B", "C"])
    (['B', 'A'], ['C', 'A'])
    >>> order_in("A reply is hard to choose.", ["A", "B"])
    """
    told = found_json(text)
    listed = told.get("ranking") if isinstance(told, dict) else found_json(text, list)
    if isinstance(listed, list):
        words = [_label_of(str(one)) for one in listed if isinstance(one, str | int)]
    else:
        words = _WORD.findall(without_thoughts(text)) if told is None else []
        if known and not known[0].isdigit():
            words = [word for word in words if not word.isdigit()]  # the numbers of a list
        if any(word not in known for word in words):
            return None
    found = list(dict.fromkeys(word for word in words if word in known))
    return found or None


def choice_in(text: str, known: Sequence[str]) -> str | None:
    """Return the one label that a model chooses; `None` where it does not.

    >>> choice_in(" B.", ["A", "B"]), choice_in('{"best": "A"}', ["A", "B"]), choice_in("A reply to", ["A", "B"])
    ('B', 'A', None)
    """
    said = without_thoughts(text).strip()
    told = found_json(said)
    if isinstance(told, dict):
        said = str(told.get("best", ""))
    found = _label_of(said)
    return found if found in known else None


def _label_of(said: str) -> str:
    """Return the label that stands alone, or first with a mark behind it; the words as they are where none does."""
    found = _FIRST.match(said)
    return found[1] if found else said.strip()
