"""Requests of a generated dialogue: whether the staff's own replies answer them as the official scorer counts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.knowledge.goal import consultations_of
from duologue.challenges.mobilecs.knowledge.kb import query
from duologue.challenges.mobilecs.schema.intents import bracketed
from duologue.challenges.mobilecs.schema.ontology import CONSULT, REQUESTED, STAFF_TEXT, USER_INTENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LONG_ID = re.compile(r"ent-\d\d")


def are_answered(dialogue: Mapping[str, Any]) -> bool:
    """Tell whether each request of a track 2 dialogue can be read and is answered in some reply.

    The official programs cut entity ids to one digit, find names by their lower case, and cannot tell entities with the
    same names apart.
    """
    if any(_LONG_ID.search(turn[USER_INTENT]) or _is_ambiguous(turn, dialogue) for turn in dialogue["content"]):
        return False
    replies = [turn[STAFF_TEXT] for turn in dialogue["content"]]
    return all(any(value in reply for value in values for reply in replies) for values in _requested(dialogue))


def _requested(dialogue: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the values of each requested item, any of which answers it."""
    base = dialogue["KB"]
    for name, entry in dialogue["goal"].items():
        if name == CONSULT:
            for one in consultations_of(entry):
                names = query(base, ent_type=one.rsplit("-", maxsplit=1)[-1])
                if names is not None:
                    yield [one for joined in names for one in joined.split(",")]
        elif name in base:
            for slot, known in entry.items():
                if REQUESTED in known and slot in base[name]:
                    values = [value for value in base[name][slot].split(",") if value not in known]
                    if values:
                        yield values


def _is_ambiguous(turn: Mapping[str, Any], dialogue: Mapping[str, Any]) -> bool:
    """Whether a turn asks for one slot of two entities that share a name."""
    arguments = [one for one in bracketed(turn[USER_INTENT]) if one.startswith("ent")]
    if len(arguments) < 2:
        return False
    asked: dict[str, set[str]] = {}
    for name, _, slot in (one.rpartition("-") for one in dict.fromkeys(arguments)):
        names = set(dialogue["KB"].get(name, {}).get("name", "").split(","))
        if names & asked.get(slot, set()):
            return True
        asked.setdefault(slot, set()).update(names)
    return False
