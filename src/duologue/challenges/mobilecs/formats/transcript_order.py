"""The order of what is said in a transcript: files of two channels often hold one side after the other."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats.issues import is_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    Turn = tuple[str, str]
    Start = tuple[float, ...]

_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?")


def start_of(told: Any) -> Start:
    """Return when an utterance begins, in the parts of a time as it is told; nothing where it is not told.

    >>> start_of("00:01:02.5"), start_of(3), start_of(None)
    ((0.0, 1.0, 2.5), (3.0,), ())
    """
    if is_count(told) or (isinstance(told, float) and 0 <= told < float("inf")):
        return (float(told),)
    return tuple(map(float, _NUMBER.findall(told))) if isinstance(told, str) else ()


def in_time(turns: Sequence[Turn], starts: Sequence[Start]) -> list[Turn] | None:
    """Return turns in the order in which they begin; `None` where they are in it, or not all tell it alike.

    >>> in_time([("a", "hello"), ("a", "bye"), ("b", "hi")], [(0.0,), (9.0,), (1.5,)])
    [('a', 'hello'), ('b', 'hi'), ('a', 'bye')]
    """
    if len({len(start) for start in starts}) != 1 or not starts[0]:
        return None
    if all(first <= second for first, second in pairwise(starts)):
        return None
    return [turns[at] for at in sorted(range(len(turns)), key=lambda at: starts[at])]
