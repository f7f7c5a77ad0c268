"""The knowledge base of one dialogue, and the official query over it (specification, section 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.intents import entity_argument
from duologue.challenges.mobilecs.schema.ontology import BALANCES, COVERED_TYPES, RULE, RULE_FALLBACKS, USER
from duologue.core.records import Fact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Base = Mapping[str, Mapping[str, str]]
    """A decoded `KB`: entry id to slot to values, joined by commas."""

THE_USER = "user"
"""Subject of facts about the user; the file says `NA`."""


def query(
    base: Base,
    *,
    ent_id: str | None = None,
    ent_name: str | None = None,
    prop: str | None = None,
    ent_type: str | None = None,
    with_alter: bool = True,
) -> str | list[str] | None:
    """Return the result of the official query: values joined by commas, or the names of all entities of a type.

    The first given argument of id, name, slot and type decides. By name and with alternatives, a missing rule falls
    back to fee, duration and so on, and a missing one of these to the rule. Returns `None` when nothing is found; an
    empty value counts as found. Raises `KeyError` for a type that the official code does not know, unless no entity
    has a type.
    """
    if not base:
        return None
    if ent_id is not None:
        return base.get(ent_id, {}).get(prop) if prop else None  # no empty-named slot here, other than by name (sic)
    if ent_name is not None:
        return _by_name(base, ent_name, prop, with_alter=with_alter)
    if prop is not None:
        return _by_slot(base, prop)
    return None if ent_type is None else _by_type(base, ent_type)


def query_argument(base: Base, argument: str) -> str | None:
    """Return what the argument of a user's intent brings: values or names joined by commas, `None` for nothing.

    Forms are `<id>-<slot>`, `<name>-<slot>`, a type and a slot of the user. Entries without a name count by id alone.

    >>> query_argument({"ent-1": {"name": "彩铃", "业务费用": "五元"}}, "彩铃-业务费用")
    '五元'
    """
    named = {entity: slots for entity, slots in base.items() if entity == USER or "name" in slots}
    by_id, (name, mark, slot) = entity_argument(argument), argument.rpartition("-")
    if by_id is not None:
        brought = query(base, ent_id=by_id[0], prop=by_id[1])
    elif argument.lower() in COVERED_TYPES:
        brought = query(named, ent_type=argument)
    elif mark:
        brought = query(named, ent_name=name, prop=slot)
    else:
        brought = query(named, prop=argument)
    return ",".join(brought) if isinstance(brought, list) else brought


def _by_name(base: Base, ent_name: str, prop: str | None, *, with_alter: bool) -> str | None:
    if prop is None:
        return None
    for name in ent_name.split(","):
        for entity, slots in base.items():
            if entity.startswith("ent") and name.lower() in slots["name"].split(","):
                found = _with_alternatives(slots, prop) if with_alter else slots.get(prop)
                if found is not None:
                    return found
    return None


def _with_alternatives(slots: Mapping[str, str], prop: str) -> str | None:
    if prop in slots:
        return slots[prop]
    if prop == RULE:
        return _joined([slots[other] for other in RULE_FALLBACKS if other in slots])
    return slots.get(RULE) if prop in RULE_FALLBACKS else None


def _by_slot(base: Base, prop: str) -> str | None:
    own = base.get(USER, {})
    for name in (prop, *(BALANCES if prop in BALANCES else ())):
        if name in own:
            return own[name]
    return _joined([slots[prop] for slots in base.values() if prop in slots])


def _joined(values: list[str]) -> str | None:
    return ",".join(values) if values else None


def _by_type(base: Base, ent_type: str) -> list[str] | None:
    typed = [slots for entity, slots in base.items() if entity.startswith("ent") and "type" in slots]
    if not typed:
        return None
    covered = COVERED_TYPES[ent_type.lower()]
    return [slots["name"] for slots in typed if slots["type"].lower() in covered] or None


def facts_of(base: Any) -> tuple[Fact, ...]:
    """Return the facts in a decoded `KB`: entry, slot and value, a tuple for several values.

    The user's entry has the subject `user`. Parts of other shapes are skipped; the file checks report them.
    """
    return tuple(_facts(base)) if isinstance(base, dict) else ()


def _facts(base: dict[str, Any]) -> Iterator[Fact]:
    for entity, slots in base.items():
        for slot, value in slots.items() if isinstance(slots, dict) else ():
            if isinstance(value, str):
                subject = THE_USER if entity == USER else entity
                yield Fact(subject=subject, relation=slot, object=tuple(value.split(",")) if "," in value else value)


def base_of(facts: tuple[Fact, ...]) -> dict[str, dict[str, str]]:
    """Return the `KB` of the facts: the inverse of `facts_of`."""
    base: dict[str, dict[str, str]] = {}
    for fact in facts:
        value = ",".join(fact.object) if isinstance(fact.object, tuple) else str(fact.object)
        base.setdefault(USER if fact.subject == THE_USER else fact.subject, {})[fact.relation] = value
    return base
