"""The `info` of an official turn, made of mentions and values (specification, section 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.ontology import USER

if TYPE_CHECKING:
    from duologue.core.records import Annotation, Mention, Value


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
