"""What is annotated in a raw turn: mentions and slot values (specification, section 1).

Nearly every turn has the usual form, which one call of msgspec tells and reads. The others are read piece by piece:
odd cases (a flat position, exchanged keys, missing parts) are mended with a warning, the rest is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec

from duologue.challenges.mobilecs.formats.faults import COUNT_LIMIT, is_count
from duologue.challenges.mobilecs.schema.ontology import USER
from duologue.core.decoded import shown
from duologue.core.records import Mention, Span, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.formats.faults import Faults


class Marked(NamedTuple):
    """What is annotated in a turn, in the order of the file; every span lies in one of its two utterances."""

    mentions: Sequence[Mention] = ()
    values: Sequence[Value] = ()


def read_info(info: Any, place: int, texts: Sequence[str], faults: Faults) -> Marked:
    """Return what `info` marks in the two utterances of the turn at `place` of its dialogue."""
    if faults.whole:
        found = _usual(info, 2 * place, texts)
        if found is not None:
            return found
    return _odd(info, 2 * place, texts, f"/content/{place}/info", faults)


# ---------------------------------------------------------------------------------------- the usual form

_Word = Annotated[str, msgspec.Meta(min_length=1)]
_Offset = Annotated[int, msgspec.Meta(ge=0, lt=COUNT_LIMIT)]
_Place = tuple[Literal[1, 2], _Offset, _Offset]


class _Entity(msgspec.Struct, gc=False):
    name: _Word
    id: _Word
    type: _Word
    pos: list[_Place]


class _Triple(msgspec.Struct, gc=False):
    owner: _Word = msgspec.field(name="ent-id")
    prop: _Word
    value: _Word
    pos: _Place | msgspec.UnsetType = msgspec.UNSET
    owner_name: Any = msgspec.field(name="ent-name", default=msgspec.UNSET)
    name: Any = msgspec.UNSET
    """Where it stands in place of `ent-name`, the keys are exchanged."""

    def is_odd(self) -> bool:
        """Tell whether something is to be said of its keys or its owner."""
        exchanged = self.name is not msgspec.UNSET and self.owner_name is msgspec.UNSET
        return exchanged or (self.owner != USER and self.owner.upper() == USER)


class _Info(msgspec.Struct, gc=False):
    ents: list[_Entity]
    triples: list[_Triple]


def _usual(info: Any, first: int, texts: Sequence[str]) -> Marked | None:
    """Return what is marked; `None` where anything is not as usual, for `_odd` to say what."""
    try:
        read = msgspec.convert(info, _Info)
    except (msgspec.ValidationError, RecursionError):
        return None
    mentions, values = [], []
    for entity in read.ents:
        name = entity.name
        for side, start, end in entity.pos:
            if texts[side - 1][start:end] != name:
                return None
            span = Span(turn=first + side - 1, start=start, end=end)
            mentions.append(Mention(label=entity.type, text=name, entity=entity.id, span=span))
    for triple in read.triples:
        text = triple.value
        if triple.is_odd():
            return None
        if isinstance(triple.pos, msgspec.UnsetType):
            span = _found(text, first, texts)
        else:
            side, start, end = triple.pos
            if texts[side - 1][start:end] != text:
                return None
            span = Span(turn=first + side - 1, start=start, end=end)
        owner = None if triple.owner == USER else triple.owner
        values.append(Value(slot=triple.prop, text=text, entity=owner, span=span))
    return Marked(mentions, values)


# ------------------------------------------------------------------------------------------- odd forms


def _odd(info: Any, first: int, texts: Sequence[str], pointer: str, faults: Faults) -> Marked:
    if not isinstance(info, dict):
        faults.add("info-type", pointer, f"'info' is {shown(info)}, expected an object")
        return Marked()
    lists = []
    for key in ("ents", "triples"):
        if key not in info:
            faults.warn("info-missing", pointer, f"there is no '{key}'; taken for empty")
        part = info.get(key, [])
        if not isinstance(part, list):
            faults.add("info-type", f"{pointer}/{key}", f"'{key}' is {shown(part)}, expected a list")
            part = []
        lists.append(part)
    mentions: list[Mention] = []
    for number, entity in enumerate(lists[0]):
        mentions += _mentions(entity, first, texts, f"{pointer}/ents/{number}", faults)
    values = [
        value
        for number, triple in enumerate(lists[1])
        if (value := _value(triple, first, texts, f"{pointer}/triples/{number}", faults)) is not None
    ]
    return Marked(mentions, values)


def whole_entity(entity: Any, pointer: str, faults: Faults) -> dict[str, Any] | None:
    """Return an entity record with its usual keys and a list of positions; `None` where it cannot be used.

    What is odd is noted: warnings for what is mended, and for a record that lacks a part and is left out.
    """
    if not isinstance(entity, dict):
        faults.add("entity-type", pointer, f"found {shown(entity)}, expected an object")
        return None
    mended = _renamed(entity, {"ent-name": "name", "ent-id": "id"})
    if mended is not entity:
        faults.warn("keys-exchanged", pointer, "an entity has the keys of a triple; read as name and id")
    if _lacks(mended, ("name", "id", "type", "pos"), pointer, faults):
        return None
    if not faults.expect_texts(mended, ("name", "id", "type"), "entity-type", pointer):
        return None
    places = mended["pos"]
    if not isinstance(places, list):
        faults.add("position-type", f"{pointer}/pos", f"'pos' is {shown(places)}, expected a list of positions")
        return None
    if places and not any(isinstance(place, list) for place in places):
        faults.warn("position-flat", pointer, "'pos' is one position, expected a list of positions")
        return {**mended, "pos": [places]}
    if [] in places:
        faults.warn("position-empty", f"{pointer}/pos", "a position is an empty list; left out")
        return {**mended, "pos": [place for place in places if place != []]}
    return mended


def whole_triple(triple: Any, pointer: str, faults: Faults) -> dict[str, Any] | None:
    """Return a triple with its usual keys; `None` where it cannot be used. What is odd is noted as for entities."""
    if not isinstance(triple, dict):
        faults.add("triple-type", pointer, f"found {shown(triple)}, expected an object")
        return None
    mended = _renamed(triple, {"name": "ent-name", "id": "ent-id"})
    if mended is not triple:
        faults.warn("keys-exchanged", pointer, "a triple has the keys of an entity; read as ent-name and ent-id")
    needed = ("ent-id", "prop", "value")
    if _lacks(mended, needed, pointer, faults) or not faults.expect_texts(mended, needed, "triple-type", pointer):
        return None
    if mended["ent-id"] != USER and mended["ent-id"].upper() == USER:
        faults.warn("owner-user", f"{pointer}/ent-id", f"'ent-id' is {shown(mended['ent-id'])}; read as '{USER}'")
        mended = {**mended, "ent-id": USER}
    return mended


def _lacks(record: dict[str, Any], keys: tuple[str, ...], pointer: str, faults: Faults) -> bool:
    """Note which of its parts a record lacks, if any; such a record is left out."""
    lacking = [key for key in keys if record.get(key) is None or record[key] == ""]
    if lacking:
        faults.warn("part-missing", pointer, f"there is no {', '.join(map(repr, lacking))}", "the record is left out")
    return bool(lacking)


def _renamed(record: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    odd = {key: name for key, name in names.items() if key in record and name not in record}
    return {odd.get(key, key): value for key, value in record.items()} if odd else record


def _mentions(entity: Any, first: int, texts: Sequence[str], pointer: str, faults: Faults) -> list[Mention]:
    mended = whole_entity(entity, pointer, faults)
    if mended is None:
        return []
    return [
        Mention(label=mended["type"], text=mended["name"], entity=mended["id"], span=span)
        for place in mended["pos"]
        if (span := _span(place, mended["name"], first, texts, pointer, faults)) is not None
    ]


def _value(triple: Any, first: int, texts: Sequence[str], pointer: str, faults: Faults) -> Value | None:
    """Return the slot value of a triple. Without a position it stands where its text is first found in the turn."""
    mended = whole_triple(triple, pointer, faults)
    if mended is None:
        return None
    text = mended["value"]
    span = _span(mended["pos"], text, first, texts, pointer, faults) if "pos" in mended else _found(text, first, texts)
    if span is None:
        return None
    owner = None if mended["ent-id"] == USER else mended["ent-id"]
    return Value(slot=mended["prop"], text=text, entity=owner, span=span)


def _found(text: str, first: int, texts: Sequence[str]) -> Span:
    """Return where the text first stands in the turn; an empty span at its beginning where it does not."""
    for side, utterance in enumerate(texts):
        start = utterance.find(text)
        if start >= 0:
            return Span(turn=first + side, start=start, end=start + len(text))
    return Span(turn=first, start=0, end=0)


def _span(place: Any, text: str, first: int, texts: Sequence[str], pointer: str, faults: Faults) -> Span | None:
    if not isinstance(place, list) or len(place) != 3 or not all(map(is_count, place)) or place[0] not in {1, 2}:
        message = f"a position is {_spelled(place)}, expected [side, start, end] with side 1 or 2"
        faults.add("position-type", f"{pointer}/pos", message)
        return None
    side, start, end = place
    covered = texts[side - 1][start:end]
    if covered != text:
        message = f"the position {place} covers {shown(covered)}, expected {shown(text)}"
        faults.warn("position-text", f"{pointer}/pos", message)
    return Span(turn=first + side - 1, start=start, end=end)


def _spelled(place: Any) -> str:
    return f"[{', '.join(map(shown, place[:5]))}]" if isinstance(place, list) else shown(place)
