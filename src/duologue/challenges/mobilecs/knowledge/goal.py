"""Builds the knowledge base and user goal of a dialogue from its annotated turns (specification, 4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.intents import ID_LENGTH, bracketed
from duologue.challenges.mobilecs.schema.ontology import (
    CONSULT,
    ENTITY_TYPES,
    GOAL_ENTITY_INTENTS,
    GOAL_USER_INTENTS,
    REQUESTED,
    USER,
    USER_INTENT,
    USER_TEXT,
)
from duologue.core.records import Goal, Item

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Row = Mapping[str, Any]
    Entries = dict[str, dict[str, Any]]


def goal_and_base(content: Iterable[Row]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return `goal` and `KB` of a dialogue's re-paired turns.

    Several values are joined by commas in the order of their first appearance; the official order is random.
    """
    base: Entries = {}
    goal: Entries = {}
    consultations = _Values()
    for turn in content:
        info = turn.get("info") or {}
        for entity in info.get("ents") or ():
            if "id" in entity and "name" in entity:
                kind = entity.get("type", NO_TYPE)
                _add_name(base, entity["id"], entity["name"].lower(), kind.lower())
                if entity["name"] in turn[USER_TEXT]:
                    _add_to_goal(goal, entity["id"], entity["name"], kind)
        for triple in info.get("triples") or ():
            if is_complete(triple):
                _add_value(base, goal, triple, turn[USER_TEXT])
        _add_requests(goal, consultations, turn[USER_INTENT])
    return _joined(goal), _joined(base)


NO_TYPE = " "
"""What the official program writes as the type of an entity record without one."""


def is_complete(triple: Row) -> bool:
    """Tell whether a triple has all keys that the official program needs; it skips the others."""
    return "ent-id" in triple and "prop" in triple and "value" in triple


class _Values(dict[str, None]):
    """Ordered set of the values of a slot; the official program has an unordered one."""

    def add(self, value: str) -> None:
        """Add a value."""
        self[value] = None


def _add_name(entries: Entries, name: str, text: str, kind: str) -> None:
    """Add a name of an entity; the type is kept only if the entity is new, so one first seen in a triple has none."""
    if name not in entries:
        entries[name] = {"name": _Values(), "type": kind}
    entries[name].setdefault("name", _Values()).add(text)


def _add_to_goal(goal: Entries, name: str, text: str, kind: str) -> None:
    """Add a name to the goal, after the type if the entity is new, as in the official files."""
    goal.setdefault(name, {"type": kind}).setdefault("name", _Values()).add(text)


def _add_value(base: Entries, goal: Entries, triple: Row, user_text: str) -> None:
    """Add the value of a triple to the base, and to the goal if the user says it."""
    slot, value, owner = triple["prop"], triple["value"], triple.get("ent-name", USER)
    entry = _entry(base, triple["ent-id"], owner.lower())
    if slot not in entry:  # looked up as it is written, so a slot with capitals is always new (sic)
        entry[slot.lower()] = _Values()
    entry[slot.lower()].add(value)
    if value in user_text:
        _entry(goal, triple["ent-id"], owner).setdefault(slot, _Values()).add(value)


def _entry(entries: Entries, name: str, text: str) -> dict[str, Any]:
    """Return the entry of a triple; a new entity gets its name, the user and any other subject none."""
    if name not in entries:
        entries[name] = {"name": _Values({text: None})} if name.startswith("ent") else {}
    return entries[name]


def _add_requests(goal: Entries, consultations: _Values, intent: str) -> None:
    for item in intent.split(","):
        label = item.split("(", maxsplit=1)[0]
        for argument in (one.strip("()") for one in bracketed(item)):  # of two opening brackets, one is left
            if argument in ENTITY_TYPES:
                goal.setdefault(CONSULT, consultations)[f"{label}-{argument}"] = None
            elif "-" in argument:
                entry = goal.setdefault(argument[:ID_LENGTH], {})
                entry.setdefault(argument[ID_LENGTH:].strip("-"), _Values()).add(REQUESTED)
                entry.setdefault(GOAL_ENTITY_INTENTS, _Values()).add(label)
            else:
                entry = goal.setdefault(USER, {})
                entry.setdefault(argument, _Values()).add(REQUESTED)
                entry.setdefault(GOAL_USER_INTENTS, _Values()).add(label)


def _joined(entries: Entries) -> dict[str, Any]:
    return {
        name: ",".join(entry)
        if name == CONSULT
        else {slot: values if isinstance(values, str) else ",".join(values) for slot, values in entry.items()}
        for name, entry in entries.items()
    }


def goal_of(goal: Any) -> Goal | None:
    """Return the goal record of a decoded `goal`, or `None` if there is none; parts of other shapes are skipped."""
    if not isinstance(goal, dict):
        return None
    items = tuple(_item(name, entry) for name, entry in goal.items() if isinstance(entry, dict) and name != CONSULT)
    return Goal(items=items, consultations=tuple(consultations_of(goal.get(CONSULT))))


def consultations_of(entry: Any) -> list[str]:
    """Return the entries such as `询问-流量包` of a goal's `咨询`: a text in the files, a list in descriptions.

    >>> consultations_of("询问-流量包,求助-查询-套餐"), consultations_of(None)
    (['询问-流量包', '求助-查询-套餐'], [])
    """
    named = entry.split(",") if isinstance(entry, str) else entry if isinstance(entry, list) else ()
    return [one for one in named if isinstance(one, str) and one]


def _item(name: str, entry: dict[str, Any]) -> Item:
    texts = {slot: value for slot, value in entry.items() if isinstance(value, str)}
    intents = texts.get(GOAL_ENTITY_INTENTS) or texts.get(GOAL_USER_INTENTS) or ""
    slots = {
        slot: value.split(",")
        for slot, value in texts.items()
        if slot not in {GOAL_ENTITY_INTENTS, GOAL_USER_INTENTS, "type"}
    }
    known = {slot: [value for value in values if value != REQUESTED] for slot, values in slots.items()}
    return Item(
        name=None if name == USER else name,
        kind=texts.get("type"),
        known={slot: ",".join(values) for slot, values in known.items() if values},
        asked=tuple(slot for slot, values in slots.items() if REQUESTED in values),
        intents=tuple(intents.split(",")) if intents else (),
    )


def goal_row(goal: Goal) -> dict[str, Any]:
    """Return the official `goal` of a record: the inverse of `goal_of`, with `?` after the values and `咨询` last."""
    row: dict[str, Any] = {}
    for item in goal.items:
        entry = {} if item.kind is None else {"type": item.kind}
        for slot in dict.fromkeys((*item.known, *item.asked)):
            values = [*filter(None, [item.known.get(slot)]), *([REQUESTED] if slot in item.asked else [])]
            entry[slot] = ",".join(values)
        if item.intents:
            entry[GOAL_USER_INTENTS if item.name is None else GOAL_ENTITY_INTENTS] = ",".join(item.intents)
        row[USER if item.name is None else item.name] = entry
    if goal.consultations:
        row[CONSULT] = ",".join(goal.consultations)
    return row
