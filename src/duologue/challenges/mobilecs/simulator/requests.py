"""Requests of a user goal: what is asked of the knowledge base, and whether replies answer it as officially counted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.knowledge.goal import consultations_of
from duologue.challenges.mobilecs.knowledge.kb import query
from duologue.challenges.mobilecs.schema.intents import ASK, bracketed
from duologue.challenges.mobilecs.schema.ontology import (
    CONSULT,
    GOAL_ENTITY_INTENTS,
    GOAL_USER_INTENTS,
    REQUESTED,
    STAFF_TEXT,
    USER,
    USER_INTENT,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LONG_ID = re.compile(r"ent-\d\d")


class Request(NamedTuple):
    """Something that a goal asks for."""

    owner: str
    """Entity id, `NA` for the user, `咨询` for the entities of a type."""
    slot: str
    """Requested slot, or the type."""
    labels: tuple[str, ...]
    """Intents that the goal has for it, never none."""
    values: tuple[str, ...]
    """Any of these answers it; empty where the knowledge base has none that the user has not said himself."""

    @property
    def argument(self) -> str:
        """Argument of the intent that asks for it."""
        return self.slot if self.owner in {USER, CONSULT} else f"{self.owner}-{self.slot}"


def are_answered(dialogue: Mapping[str, Any]) -> bool:
    """Tell whether each request of a track 2 dialogue can be read and is answered in some reply.

    The official programs cut entity ids to one digit, find names by their lower case, and cannot tell entities with the
    same names apart.
    """
    if any(_LONG_ID.search(turn[USER_INTENT]) or _is_ambiguous(turn, dialogue) for turn in dialogue["content"]):
        return False
    replies = [turn[STAFF_TEXT] for turn in dialogue["content"]]
    return all(
        any(value in reply for value in request.values for reply in replies)
        for request in requests_of(dialogue["goal"], dialogue["KB"])
        if request.values
    )


def requests_of(goal: Mapping[str, Any], base: Mapping[str, Any]) -> Iterator[Request]:
    """Yield the requests of a goal; those with values are the requested items of the official scorer, in its order.

    Raises `KeyError` for a type that the official code does not know.
    """
    for owner, entry in goal.items():
        if owner == CONSULT:
            for one in consultations_of(entry):
                label, _, kind = one.rpartition("-")
                names = query(base, ent_type=kind) or []
                yield Request(owner, kind, (label or ASK,), tuple(one for joined in names for one in joined.split(",")))
            continue
        key = GOAL_USER_INTENTS if owner == USER else GOAL_ENTITY_INTENTS
        labels = tuple(filter(None, entry.get(key, "").split(","))) or (ASK,)
        for slot, known in entry.items():
            if REQUESTED in known:
                values = base.get(owner, {}).get(slot, "").split(",")
                yield Request(owner, slot, labels, tuple(value for value in values if value not in known))


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
