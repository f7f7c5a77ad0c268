"""User turns of annotated track 2 dialogues as templates: what is done in them, and the words with places to fill."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.schema.intents import acts_of, entity_argument
from duologue.challenges.mobilecs.schema.ontology import (
    CONSULT,
    ENTITY_TYPES,
    STAFF_INTENT,
    USER,
    USER_INTENT,
    USER_TEXT,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SHORT = 2
"""Values and names of fewer characters are not taken for such."""


class TurnKey(NamedTuple):
    """What is asked and told in a turn."""

    asked: tuple[str, ...] = ()
    """Slots that are asked for, `entity:`, `user:` or `type:` and the slot."""
    told: tuple[str, ...] = ()
    """Slots of which values are told, `entity:` or `user:` and the slot."""
    is_named: bool = False
    """Whether a service is named."""


class UserTurn(NamedTuple):
    """A user's turn, its text without what belongs to its call alone."""

    key: TurnKey
    labels: tuple[str, ...]
    staff: tuple[str, ...]
    """Labels of the staff's turn before; none in the first turn."""
    is_first: bool
    is_last: bool
    parts: tuple[str, ...]
    """Text and, at odd places, what is to be filled in: `name` or the slot as in `told`."""

    @property
    def is_request(self) -> bool:
        """Whether its intent says what is asked for."""
        return bool(self.key.asked)


def turns_of_rows(rows: Iterable[Mapping[str, Any]]) -> list[list[UserTurn]]:
    """Return the user turns of annotated track 2 dialogues; turns that name two services are left out."""
    return [_turns(row) for row in rows]


def slot_key(owner: str, slot: str) -> str:
    """Return a slot with the kind of its owner."""
    return f"{'user' if owner == USER else 'type' if owner == CONSULT else 'entity'}:{slot}"


def _turns(row: Mapping[str, Any]) -> list[UserTurn]:
    found = []
    marks = _marks(row["KB"])
    content = row["content"]
    for number, turn in enumerate(content):
        acts = acts_of(turn[USER_INTENT], "user")
        asked = tuple(dict.fromkeys(_asked(argument) for act in acts for argument in act.args))
        staff = acts_of(content[number - 1][STAFF_INTENT], "system") if number else ()
        parts, owners = _parts(turn[USER_TEXT], marks)
        if len(owners) > 1 or not turn[USER_TEXT]:
            continue
        holes = parts[1::2]
        told = tuple(sorted(dict.fromkeys(hole for hole in holes if hole != "name")))
        found.append(
            UserTurn(
                TurnKey(asked, told, "name" in holes),
                tuple(dict.fromkeys(act.name for act in acts)),
                tuple(act.name for act in staff),
                number == 0,
                number == len(content) - 1,
                parts,
            )
        )
    return found


def _asked(argument: str) -> str:
    if argument in ENTITY_TYPES:
        return slot_key(CONSULT, argument)
    entity = entity_argument(argument)
    return slot_key(*entity) if entity is not None else slot_key(USER, argument)


def _marks(base: Mapping[str, Mapping[str, str]]) -> dict[str, tuple[str, str]]:
    """Return owner and place to fill of each name and value in lower case; names count where both are equal."""
    marks: dict[str, tuple[str, str]] = {}
    for owner, slots in base.items():
        for slot, joined in slots.items():
            if slot not in {"name", "type"}:
                for value in joined.split(","):
                    marks.setdefault(value.lower(), (owner, slot_key(owner, slot)))
    for owner, slots in base.items():
        for name in slots.get("name", "").split(","):
            marks[name.lower()] = (owner, "name")
    return {text: mark for text, mark in marks.items() if len(text) >= _SHORT}


def _parts(text: str, marks: Mapping[str, tuple[str, str]]) -> tuple[tuple[str, ...], set[str]]:
    """Return the parts of a text, places to fill at odd places, and the services that are spoken of."""
    if not marks or len(text.lower()) != len(text):
        return (text,), set()
    pattern = re.compile("|".join(map(re.escape, sorted(marks, key=lambda one: (-len(one), one)))))
    parts, owners, done = [], set(), 0
    for found in pattern.finditer(text.lower()):
        owner, hole = marks[found[0]]
        parts += [text[done : found.start()], hole]
        done = found.end()
        if owner != USER:
            owners.add(owner)
    return (*parts, text[done:]), owners
