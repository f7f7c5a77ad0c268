"""Reads the annotation of a raw turn: mentions and slot values (specification, section 1).

Nearly every turn has the usual form, which one call of msgspec validates and converts. Others are read key by key:
known deviations (a flat position, exchanged keys, missing parts) are repaired with a warning, the rest is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec

from duologue.challenges.mobilecs.formats.issues import COUNT_LIMIT, is_count
from duologue.challenges.mobilecs.schema.ontology import USER
from duologue.core.decoded import shown
from duologue.core.records import Mention, Span, Value
from duologue.core.typed import convert

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.formats.issues import Issues


class TurnAnnotations(NamedTuple):
    """Annotation of a turn, in the order of the file; every span lies in one of its two utterances."""

    mentions: Sequence[Mention] = ()
    values: Sequence[Value] = ()


def read_annotations(info: Any, place: int, texts: Sequence[str], issues: Issues) -> TurnAnnotations:
    """Return the mentions and values in the `info` of the turn at index `place` of its dialogue."""
    if issues.whole:
        found = _read_usual(info, 2 * place, texts)
        if found is not None:
            return found
    return _read_odd(info, 2 * place, texts, f"/content/{place}/info", issues)


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
    """Given without `ent-name`: the keys are exchanged."""

    def is_odd(self) -> bool:
        """Tell whether its keys or its owner need a warning."""
        exchanged = self.name is not msgspec.UNSET and self.owner_name is msgspec.UNSET
        return exchanged or (self.owner != USER and self.owner.upper() == USER)


class _Info(msgspec.Struct, gc=False):
    ents: list[_Entity]
    triples: list[_Triple]


def _read_usual(info: Any, first: int, texts: Sequence[str]) -> TurnAnnotations | None:
    """Return the annotation, or `None` if anything deviates from the usual form, for `_read_odd` to report."""
    try:
        read = convert(info, _Info)
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
    return TurnAnnotations(mentions, values)


# ------------------------------------------------------------------------------------------- odd forms


def _read_odd(info: Any, first: int, texts: Sequence[str], pointer: str, issues: Issues) -> TurnAnnotations:
    if not isinstance(info, dict):
        issues.add("info-type", pointer, f"'info' is {shown(info)}, expected an object")
        return TurnAnnotations()
    lists = []
    for key in ("ents", "triples"):
        if key not in info:
            issues.warn("info-missing", pointer, f"there is no '{key}'; taken for empty")
        part = info.get(key, [])
        if not isinstance(part, list):
            issues.add("info-type", f"{pointer}/{key}", f"'{key}' is {shown(part)}, expected a list")
            part = []
        lists.append(part)
    mentions: list[Mention] = []
    for number, entity in enumerate(lists[0]):
        mentions += _mentions(entity, first, texts, f"{pointer}/ents/{number}", issues)
    values = [
        value
        for number, triple in enumerate(lists[1])
        if (value := _value(triple, first, texts, f"{pointer}/triples/{number}", issues)) is not None
    ]
    return TurnAnnotations(mentions, values)


def normalised_entity(entity: Any, pointer: str, issues: Issues) -> dict[str, Any] | None:
    """Return an entity record with its usual keys and a list of positions; `None` if it is unusable.

    Repairs, and records left out because they lack a part, get a warning.
    """
    exchanged = _Exchanged(
        {"ent-name": "name", "ent-id": "id"}, "an entity has the keys of a triple; read as name and id"
    )
    repaired = _normalised(entity, "entity-type", exchanged, ("name", "id", "type"), ("pos",), pointer, issues)
    if repaired is None:
        return None
    places = repaired["pos"]
    if not isinstance(places, list):
        issues.add("position-type", f"{pointer}/pos", f"'pos' is {shown(places)}, expected a list of positions")
        return None
    if places and not any(isinstance(place, list) for place in places):
        issues.warn("position-flat", pointer, "'pos' is one position, expected a list of positions")
        return {**repaired, "pos": [places]}
    if [] in places:
        issues.warn("position-empty", f"{pointer}/pos", "a position is an empty list; left out")
        return {**repaired, "pos": [place for place in places if place != []]}
    return repaired


def normalised_triple(triple: Any, pointer: str, issues: Issues) -> dict[str, Any] | None:
    """Return a triple with its usual keys; `None` if it is unusable. Warnings are as for entities."""
    message = "a triple has the keys of an entity; read as ent-name and ent-id"
    exchanged = _Exchanged({"name": "ent-name", "id": "ent-id"}, message)
    repaired = _normalised(triple, "triple-type", exchanged, ("ent-id", "prop", "value"), (), pointer, issues)
    if repaired is not None and repaired["ent-id"] != USER and repaired["ent-id"].upper() == USER:
        issues.warn("owner-user", f"{pointer}/ent-id", f"'ent-id' is {shown(repaired['ent-id'])}; read as '{USER}'")
        repaired = {**repaired, "ent-id": USER}
    return repaired


class _Exchanged(NamedTuple):
    """Keys that annotators exchange between entities and triples, and the warning about it."""

    names: dict[str, str]
    message: str


def _normalised(
    record: Any,
    rule: str,
    exchanged: _Exchanged,
    texts: tuple[str, ...],
    others: tuple[str, ...],
    pointer: str,
    issues: Issues,
) -> dict[str, Any] | None:
    """Return a record with its usual keys; `None` if it is no object, lacks a key or has another value for a text."""
    if not isinstance(record, dict):
        issues.add(rule, pointer, f"found {shown(record)}, expected an object")
        return None
    repaired = _with_renamed_keys(record, exchanged.names)
    if repaired is not record:
        issues.warn("keys-exchanged", pointer, exchanged.message)
    if _lacks(repaired, (*texts, *others), pointer, issues) or not issues.expect_texts(repaired, texts, rule, pointer):
        return None
    return repaired


def _lacks(record: dict[str, Any], keys: tuple[str, ...], pointer: str, issues: Issues) -> bool:
    """Tell whether a record lacks a part, with a warning; such a record is left out."""
    lacking = [key for key in keys if record.get(key) is None or record[key] == ""]
    if lacking:
        issues.warn("part-missing", pointer, f"there is no {', '.join(map(repr, lacking))}", "the record is left out")
    return bool(lacking)


def _with_renamed_keys(record: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    odd = {key: name for key, name in names.items() if key in record and name not in record}
    return {odd.get(key, key): value for key, value in record.items()} if odd else record


def _mentions(entity: Any, first: int, texts: Sequence[str], pointer: str, issues: Issues) -> list[Mention]:
    repaired = normalised_entity(entity, pointer, issues)
    if repaired is None:
        return []
    return [
        Mention(label=repaired["type"], text=repaired["name"], entity=repaired["id"], span=span)
        for place in repaired["pos"]
        if (span := _span(place, repaired["name"], first, texts, pointer, issues)) is not None
    ]


def _value(triple: Any, first: int, texts: Sequence[str], pointer: str, issues: Issues) -> Value | None:
    """Return the slot value of a triple; without a position, it is at the first occurrence of its text."""
    repaired = normalised_triple(triple, pointer, issues)
    if repaired is None:
        return None
    text = repaired["value"]
    span = (
        _span(repaired["pos"], text, first, texts, pointer, issues) if "pos" in repaired else _found(text, first, texts)
    )
    if span is None:
        return None
    owner = None if repaired["ent-id"] == USER else repaired["ent-id"]
    return Value(slot=repaired["prop"], text=text, entity=owner, span=span)


def _found(text: str, first: int, texts: Sequence[str]) -> Span:
    """Return the first occurrence of the text in the turn; an empty span at its start if there is none."""
    for side, utterance in enumerate(texts):
        start = utterance.find(text)
        if start >= 0:
            return Span(turn=first + side, start=start, end=start + len(text))
    return Span(turn=first, start=0, end=0)


def _span(place: Any, text: str, first: int, texts: Sequence[str], pointer: str, issues: Issues) -> Span | None:
    if not isinstance(place, list) or len(place) != 3 or not all(map(is_count, place)) or place[0] not in {1, 2}:
        message = f"a position is {_spelled(place)}, expected [side, start, end] with side 1 or 2"
        issues.add("position-type", f"{pointer}/pos", message)
        return None
    side, start, end = place
    covered = texts[side - 1][start:end]
    if covered != text:
        message = f"the position {place} covers {shown(covered)}, expected {shown(text)}"
        issues.warn("position-text", f"{pointer}/pos", message)
    return Span(turn=first + side - 1, start=start, end=end)


def _spelled(place: Any) -> str:
    return f"[{', '.join(map(shown, place[:5]))}]" if isinstance(place, list) else shown(place)
