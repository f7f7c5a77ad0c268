"""Official rows of spoken calls: turns with intents, mentions and triples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.ontology import SPEAKERS, STAFF_INTENT, USER, USER_INTENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.simulator.line import IntentLabel, Line
    from duologue.challenges.mobilecs.simulator.utterance import SpanMark

    Span = tuple[int, int, int, SpanMark]
    """Utterance of the turn (1 or 2), start, end, mark."""


def row_of(name: str, lines: Sequence[Line], *, user_first: bool) -> dict[str, Any]:
    """Return the official row of a call: its lines in pairs, with entity ids in the order of their first appearance.

    Lines come in pairs; of a user-first call they begin with the user. Values of an entity that is never mentioned are
    left out: no system could find whose they are.
    """
    ids = _entity_ids(lines)
    mentioned = {mark.entity for line in lines for _, _, mark in line.text.spans if mark.is_mention}
    keys = (STAFF_INTENT, USER_INTENT)
    speakers: tuple[str, ...] = SPEAKERS
    if user_first:
        keys, speakers = keys[::-1], speakers[::-1]
    content = []
    for number in range(0, len(lines), 2):
        pair = lines[number : number + 2]
        spans = [(side, *span) for side, line in enumerate(pair, 1) for span in line.text.spans]
        texts = tuple(line.text.text for line in pair)
        ents = _entities(spans, texts, ids)
        content.append(
            {
                speakers[0]: texts[0],
                speakers[1]: texts[1],
                keys[0]: _intent(pair[0].labels, ids),
                keys[1]: _intent(pair[1].labels, ids),
                "info": {
                    "ents": ents,
                    "triples": _triples(
                        [span for span in spans if span[3].entity is None or span[3].entity in mentioned], texts, ids
                    ),
                },
            }
        )
    return {"id": name, "content": content}


def _entity_ids(lines: Sequence[Line]) -> dict[int | None, str]:
    """Return the official id of each entity."""
    ids: dict[int | None, str] = {None: USER}
    for line in lines:
        for _, _, mark in sorted(line.text.spans, key=lambda span: span[:2]):
            if mark.entity not in ids:
                ids[mark.entity] = f"ent-{len(ids)}"
    return ids


def _intent(labels: Sequence[IntentLabel], ids: dict[int | None, str]) -> str:
    """Return the intent string; an argument whose entity was lost is left out."""
    pieces = []
    for label in labels:
        if label.is_plain or (label.entity is not None and label.entity not in ids):
            pieces.append(label.name)
        elif label.entity is None:
            pieces.append(f"{label.name}({label.slot})")
        else:
            pieces.append(f"{label.name}({ids[label.entity]}-{label.slot})")
    return ",".join(pieces)


def _entities(spans: Sequence[Span], texts: tuple[str, ...], ids: dict[int | None, str]) -> list[dict[str, Any]]:
    """Return one record for each name of each entity, with all its places."""
    found: dict[tuple[int | None, str], dict[str, Any]] = {}
    for side, start, end, mark in sorted(spans, key=lambda span: (span[0], span[1], span[2])):
        if mark.is_mention:
            name = texts[side - 1][start:end]
            record = {"name": name, "id": ids[mark.entity], "type": mark.label, "pos": []}
            places = found.setdefault((mark.entity, name), record)["pos"]
            if [side, start, end] not in places:
                places.append([side, start, end])
    return list(found.values())


def _triples(spans: Sequence[Span], texts: tuple[str, ...], ids: dict[int | None, str]) -> list[dict[str, Any]]:
    """Return one triple for each value, with the name that its entity has in the turn."""
    made: dict[tuple[Any, ...], dict[str, Any]] = {}
    for side, start, end, mark in sorted(spans, key=lambda span: (span[0], span[1], span[2])):
        if not mark.is_mention:
            made[ids[mark.entity], mark.label, side, start, end] = {
                "ent-id": ids[mark.entity],
                "ent-name": _name_near(spans, texts, mark.entity, side, start) if mark.entity is not None else USER,
                "prop": mark.label,
                "value": texts[side - 1][start:end],
                "pos": [side, start, end],
            }
    return list(made.values())


def _name_near(spans: Sequence[Span], texts: tuple[str, ...], entity: int, side: int, place: int) -> str:
    """Return the name of the entity that stands nearest in the turn; NA if it has none there."""
    names = [
        (other != side, abs(start - place), texts[other - 1][start:end])
        for other, start, end, mark in spans
        if mark.is_mention and mark.entity == entity
    ]
    return min(names)[2] if names else USER
