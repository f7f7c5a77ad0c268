"""Knowledge from outside the calls (`--kb`): products of a catalogue and passages of documents, found by their names.

A product counts where its name is said in the call, or what is its own in the name and no other kind of product after
it: of what nobody names, nothing is known, and a product that is in no file is not taken for one that is. It stands in
the place of the call's own base, or beside it; a product of the call's base gets the slots that it lacks there.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.formats.knowledge_files import PASSAGE
from duologue.challenges.mobilecs.knowledge.kb import base_of
from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, NOISE, USER
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME, TYPE
from duologue.challenges.mobilecs.systems.agent.passage_values import values_in
from duologue.challenges.mobilecs.systems.agent.product_index import with_entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.challenges.mobilecs.systems.agent.kb_pieces import Base
    from duologue.core.records import Fact

_KINDS = tuple(sorted({one.lower() for one in ENTITY_TYPES} | {"包", "卡", "合约", "服务"}, key=len, reverse=True))
"""Ends of names that say what kind of product it is."""
_BREAKS = str.maketrans("", "", NOISE)
_ANY_KIND = {"业务", "服务"}
"""What any product may be called."""
_SHORTEST = 2
"""Characters of the shortest own part of a name that names a product."""


class OutsideProduct(NamedTuple):
    """What files say of one product."""

    names: tuple[str, ...]
    kind: str
    slots: dict[str, dict[str, str]]
    """Values of each slot with where they are from: the passage, or the entry of the catalogue."""

    def entry(self) -> dict[str, str]:
        """Return the entry that a base has of it."""
        told = {slot: ",".join(values) for slot, values in self.slots.items()}
        kind = {TYPE: self.kind} if self.kind else {}
        return {NAME: ",".join(self.names), **kind, **told}


class OutsideKnowledge:
    """Products by name; `beside` the call's own base, or in its place."""

    def __init__(self, facts: Iterable[Fact], *, limit: int, beside: bool) -> None:
        self._limit, self._beside = limit, beside
        self._products: dict[str, OutsideProduct] = {}
        facts = list(facts)
        entries = base_of(tuple(one for one in facts if one.relation != PASSAGE))
        shorts = Counter(name for slots in entries.values() for name in slots[NAME].split(",")[1:])
        for subject, slots in entries.items():
            name, *short = slots[NAME].split(",")
            own = [one for one in short if shorts[one] == 1 and _own_part(one)]
            told = {slot: [value] for slot, value in slots.items() if slot not in {NAME, TYPE}}
            self._add((name, *own), slots.get(TYPE, ""), told, subject)
        for one in facts:
            if one.relation == PASSAGE:
                told = values_in(str(one.object), one.subject)
                self._add((one.subject,), _kind_of(one.subject), told, str(one.object))
        self._named = {name: one for one in reversed(self._products.values()) for name in one.names}
        parts = [(part, one) for name, one in self._named.items() for part in {name, _own_part(name)} if part]
        self._parts = sorted(parts, key=lambda one: (-len(one[0]), one[0], one[1].names))

    def base(self, said: Sequence[str], last: str, own: Base) -> dict[str, dict[str, str]]:
        """Return a base of the products named in the call, those named last first, and of the user's entry.

        Beside the call's own base they come last; a product of that base gets the slots that it lacks.
        """
        known = {key: dict(slots) for key, slots in own.items() if key == USER or self._beside}
        held = set[str]()
        for key, slots in list(known.items()):
            for name in slots.get(NAME, "").split(",") if key != USER else ():
                product = self._named.get(name)
                if product is not None:
                    held.add(product.names[0])
                    known[key] = {**product.entry(), **slots}
        found = dict.fromkeys(name for text in (last, *reversed(said)) for name in self._spoken(text))
        entries = [self._products[name].entry() for name in found if name not in held]
        return with_entries(known, entries[: self._limit], own)

    def sources(self, facts: Iterable[Fact], own: Base) -> list[str]:
        """Return where the values of facts are from that the call's own base does not have, each source once."""
        found: dict[str, None] = {}
        for fact in facts:
            product = self._named.get(fact.subject)
            values = fact.object if isinstance(fact.object, tuple) else (str(fact.object),)
            held = {
                value
                for key, slots in own.items()
                if key != USER and fact.subject in slots.get(NAME, "").split(",")
                for value in slots.get(fact.relation, "").split(",")
            }
            for value, source in product.slots.get(fact.relation, {}).items() if product is not None else ():
                if value in values and value not in held:
                    found[source] = None
        return list(found)

    def _spoken(self, text: str) -> list[str]:
        """Return the first names of the products that a text names; no name is found inside a longer one."""
        left = text.lower().translate(_BREAKS)
        found = dict[str, None]()
        for part, product in self._parts:
            pieces, begun, at = [], 0, left.find(part)
            while at >= 0:
                end = at + len(part)
                kind = next((one for one in _KINDS if left.startswith(one, end)), "")
                if not kind or kind in _ANY_KIND or kind in product.kind or any(kind in one for one in product.names):
                    found[product.names[0]] = None
                    pieces.append(left[begun:at])
                    begun = end
                at = left.find(part, max(begun, at + 1))
            if pieces:
                left = "#".join([*pieces, left[begun:]])
        return list(found)

    def _add(self, names: tuple[str, ...], kind: str, told: Mapping[str, Sequence[str]], source: str) -> None:
        """Add what a file says of a product; what is known of it already stays, and stands first."""
        known = self._products.get(names[0], OutsideProduct(names, kind, {}))
        for slot, values in told.items():
            for value in values:
                known.slots.setdefault(slot, {}).setdefault(value.replace(",", "，"), source)
        merged = tuple(dict.fromkeys((*known.names, *names)))
        self._products[names[0]] = OutsideProduct(merged, known.kind or kind, known.slots)


def _own_part(name: str) -> str:
    """Return what is a name's own: without the kind of product at its end; empty where that is too short.

    >>> _own_part("晴空流量包"), _own_part("流量包")
    ('晴空', '')
    """
    kind = next((one for one in _KINDS if name.endswith(one)), "")
    own = name.removesuffix(kind)
    return own if len(own) >= _SHORTEST else ""


def _kind_of(name: str) -> str:
    """Return the type that a name ends with; empty where it ends with none."""
    return max((one.lower() for one in ENTITY_TYPES if name.endswith(one.lower())), key=len, default="")
