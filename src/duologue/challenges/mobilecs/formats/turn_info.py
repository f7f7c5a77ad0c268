"""The `info` of an official turn, made of mentions and values (specification, section 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from duologue.challenges.mobilecs.schema.ontology import USER
from duologue.core.records import Annotation, Mention, Value

if TYPE_CHECKING:
    from collections.abc import Iterable

P = TypeVar("P", Mention, Value)

_NOTHING = Annotation()


class TurnInfos:
    """The official annotation of each turn of a call, whose parts are sorted to their turns once."""

    def __init__(self, found: Annotation) -> None:
        mentions, values = _by_turn(found.mentions), _by_turn(found.values)
        self._parts = {
            turn: Annotation(mentions=tuple(mentions.get(turn, ())), values=tuple(values.get(turn, ())))
            for turn in mentions.keys() | values.keys()
        }

    def of(self, first: int, utterances: int = 2) -> dict[str, Any]:
        """Return what `info_of` does, for the turn whose first utterance is `first`, an even number."""
        return info_of(self._parts.get(first // 2, _NOTHING), first, utterances)


def _by_turn(parts: Iterable[P]) -> dict[int, list[P]]:
    found: dict[int, list[P]] = {}
    for part in parts:
        if part.span is not None:
            found.setdefault(part.span.turn // 2, []).append(part)
    return found


def info_of(found: Annotation, first: int, utterances: int = 2) -> dict[str, Any]:
    """Return the official annotation of the turn whose first utterance is `first`; parts of other turns are left out.

    Mentions of an entity with the same words and type are one record with several positions.
    """
    records: dict[tuple[str, str, str], dict[str, Any]] = {}
    names: dict[str, str] = {}
    for mention in found.mentions:
        place = _place(mention, first, utterances)
        if place is not None and mention.entity is not None:
            record = {"name": mention.text, "id": mention.entity, "type": mention.label, "pos": []}
            records.setdefault((mention.entity, mention.text, mention.label), record)["pos"].append(place)
            names.setdefault(mention.entity, mention.text)
    triples = [
        {
            "ent-id": value.entity or USER,
            "ent-name": names.get(value.entity, USER) if value.entity is not None else USER,
            "prop": value.slot,
            "value": value.text,
            "pos": place,
        }
        for value in found.values
        if (place := _place(value, first, utterances)) is not None
    ]
    return {"ents": list(records.values()), "triples": triples}


def _place(part: Mention | Value, first: int, utterances: int) -> list[int] | None:
    """Return the official position of a part in a turn; `None` if it lies elsewhere."""
    span = part.span
    if span is None or not first <= span.turn < first + utterances:
        return None
    return [span.turn - first + 1, span.start, span.end]
