"""The stream of a turn: names so far, user, names now, user intent, result of the query, staff intent, reply.

All of it is in lower case, as in the challenge (specification, section 9); each part ends with a mark of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.knowledge.kb import query
from duologue.challenges.mobilecs.schema.intents import acts_of, intent_of
from duologue.challenges.mobilecs.schema.ontology import COVERED_TYPES, USER
from duologue.core.records import Act

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Base = Mapping[str, Mapping[str, str]]

MARKS = tuple("\ue001\ue002\ue003\ue004\ue005\ue006\ue007")
"""Ends of the parts, in their order; none is a character that people write, and none is read in their words."""
_NO_MARKS = str.maketrans(dict.fromkeys(MARKS, ""))
NAMES_SO_FAR, USER_TEXT, NAMES, USER_INTENT, RESULT, STAFF_INTENT, REPLY = range(len(MARKS))
_REPEATED = 3
"""Length from which a piece said twice in a row is a slip."""


class TurnParts(NamedTuple):
    """The parts of a stream, those that are known."""

    names_so_far: str
    user_text: str
    names: str = ""
    user_intent: str = ""
    result: str = ""
    staff_intent: str = ""
    reply: str = ""

    def stream(self, parts: int = len(MARKS)) -> str:
        """Return the first so many parts, each with its mark, in lower case."""
        return "".join(
            text.lower().translate(_NO_MARKS) + mark for text, mark in zip(self[:parts], MARKS, strict=False)
        )


def names_in(text: str, base: Base) -> list[str]:
    """Return the names of entities in a text, in the order of the base."""
    folded = text.lower()
    names = (name for key, slots in base.items() if key != USER for name in slots.get("name", "").split(","))
    return list(dict.fromkeys(name for name in names if name and name in folded))


def joined(names: Iterable[str]) -> str:
    """Return distinct names with commas between."""
    return ",".join(dict.fromkeys(names))


def spoken_intent(acts: Sequence[Act], base: Base, known: Sequence[Sequence[str]]) -> str:
    """Return the user's intent with the longest name by which an entity was called, in `known` lists, the last first.

    An argument about an entity that nobody has named is dropped.
    """
    return intent_of(
        Act(speaker="user", name=act.name, args=tuple(filter(None, (_named(one, base, known) for one in act.args))))
        for act in acts
        if act.speaker == "user"
    )


def _named(argument: str, base: Base, known: Sequence[Sequence[str]]) -> str:
    name, dash, slot = argument.rpartition("-")
    if not dash:
        return argument
    own = {
        one
        for key, slots in base.items()
        if key != USER and name in slots.get("name", "").split(",")
        for one in slots["name"].split(",")
    }
    for names in reversed(known):
        called = [one for one in names if one in own]
        if called:
            return f"{max(called, key=len)}-{slot}"
    return ""


def result_of(intent: str, base: Base) -> str:
    """Return what the arguments of a user intent bring from the base, by the official query, joined by commas.

    >>> result_of("询问(彩铃-业务费用)", {"ent-1": {"name": "彩铃", "业务费用": "五元"}})
    '五元'
    """
    return ",".join(found for act in acts_of(intent, "user") for one in act.args for found in _results(one, base))


def _results(argument: str, base: Base) -> Iterator[str]:
    argument = argument.strip("-")
    if argument.count("-") == 1:
        name, _, slot = argument.partition("-")
        found = query(base, ent_name=name, prop=slot)
    elif argument.lower() in COVERED_TYPES:
        found = query(base, ent_type=argument)
    else:
        found = query(base, prop=argument)
    yield from [found] if isinstance(found, str) else found or ()


def without_repetition(text: str) -> str:
    """Return a reply up to the first copy of a piece of three characters or more that is said again at once.

    >>> without_repetition("您好请讲请讲请讲请讲"), without_repetition("好的好的")
    ('您好请讲请讲', '好的好的')
    """
    for start in range(len(text)):
        for length in range(_REPEATED, (len(text) - start) // 2 + 1):
            piece = text[start : start + length]
            if text.startswith(piece, start + length):
                return text[: start + length]
    return text
