"""Pieces of a local knowledge base: what a reply can tell and what a user can ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.knowledge.kb import THE_USER, base_of, query
from duologue.challenges.mobilecs.schema.ontology import CONSULT, ENTITY_TYPES, USER
from duologue.core.records import Fact, Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Base = Mapping[str, Mapping[str, str]]

NAME, TYPE = "name", "type"
"""Entries of an entity in the base that are no slots."""
_NAMELESS = {"", "na"}
"""What stands for a name where an entity is known from a slot value alone."""


class KbPiece(Record, frozen=True, kw_only=True):
    """One entry of a knowledge base."""

    owner: str
    """Entity id, `NA` for the user, `咨询` for all entities of a type."""
    slot: str
    """Slot; `name` for the names of an entity; the type, for `咨询`."""
    values: tuple[str, ...]
    """As the base has them; for a type the names of its entities."""
    names: tuple[str, ...] = ()
    """Names of the entity, those that no other entity has first."""
    kind: str = ""
    """Type of the entity."""

    @property
    def argument(self) -> str:
        """Argument of an intent that is about this piece: `<name>-<slot>`, a user slot, or a type."""
        return f"{self.names[0]}-{self.slot}" if self.names else self.slot

    @property
    def is_entity(self) -> bool:
        """Whether it belongs to an entity."""
        return self.owner not in {USER, CONSULT}

    @property
    def fact(self) -> Fact:
        """The piece as a fact about the entity, called by its first name, or about the user."""
        subject = THE_USER if self.owner == USER else self.names[0] if self.names else self.owner
        return Fact(subject=subject, relation=self.slot, object=self.values if len(self.values) > 1 else self.values[0])

    @property
    def text(self) -> str:
        """The piece as one line of text, for readers that know no structure."""
        head = f"名称：{'，'.join(self.names)}；类型：{self.kind}；" if self.is_entity else ""
        return f"{head}{self.slot}：{'，'.join(self.values)}"


def base_with_names(facts: tuple[Fact, ...]) -> dict[str, dict[str, str]]:
    """Return the knowledge base of the facts without entities that have no name: the query wants one."""
    base = base_of(facts)
    return {key: slots for key, slots in base.items() if key == USER or slots.get(NAME, "") not in _NAMELESS}


def pieces_of(base: Base) -> list[KbPiece]:
    """Return the pieces of a base: names and slots of each entity, slots of the user, and the types that it has.

    Entities come in the order of their ids' appearance, which nothing here reads anything into.
    """
    return [*_entity_pieces(base), *_user_pieces(base), *_type_pieces(base)]


def _entity_pieces(base: Base) -> Iterator[KbPiece]:
    counts: dict[str, int] = {}
    for key, slots in base.items():
        for name in set(_split(slots.get(NAME, ""))) if key != USER else ():
            counts[name] = counts.get(name, 0) + 1
    for key, slots in base.items():
        if key == USER:
            continue
        names = tuple(sorted(_split(slots[NAME]), key=lambda one: counts[one] > 1))
        kind = slots.get(TYPE, "")
        if names:
            yield KbPiece(owner=key, slot=NAME, values=names, names=names, kind=kind)
            for slot in slots:
                values = () if slot in {NAME, TYPE} else _split(query(base, ent_id=key, prop=slot))
                if values:
                    yield KbPiece(owner=key, slot=slot, values=values, names=names, kind=kind)


def _user_pieces(base: Base) -> Iterator[KbPiece]:
    for slot in base.get(USER, {}):
        values = _split(query(base, ent_id=USER, prop=slot))
        if values:
            yield KbPiece(owner=USER, slot=slot, values=values)


def _type_pieces(base: Base) -> Iterator[KbPiece]:
    for kind in ENTITY_TYPES:
        names = _split(query(base, ent_type=kind))
        if names:
            yield KbPiece(owner=CONSULT, slot=kind, values=names)


def _split(value: str | list[str] | None) -> tuple[str, ...]:
    """Return the values or names in the result of a query."""
    joined = value if isinstance(value, str) else ",".join(value or ())
    return tuple(filter(None, joined.split(",")))
