"""Reads result files of both tracks as answers to show beside the data; nothing is refused.

Parts of another shape than the format are skipped here: the checkers report them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats.files import answer_of
from duologue.challenges.mobilecs.formats.issues import is_count
from duologue.challenges.mobilecs.formats.track2 import TURN_MARK
from duologue.challenges.mobilecs.schema.ontology import GENERATED, USER
from duologue.core.decoded import is_text
from duologue.core.records import Annotation, Answer, Mention, Span, Value

if TYPE_CHECKING:
    from collections.abc import Iterator


def extraction_answers(rows: Any) -> dict[str, Answer]:
    """Return the mentions and values of a track 1 result by dialogue; several rows of one dialogue are one answer."""
    mentions: dict[str, list[Mention]] = {}
    values: dict[str, list[Value]] = {}
    for name, row in named_rows(rows):
        mentions.setdefault(name, []).extend(
            Mention(label=one["type"], text=one["name"], entity=one["id"], span=_span(one))
            for one in records_of(row, "entities", ("id", "name", "type"))
        )
        values.setdefault(name, []).extend(
            Value(
                slot=one["prop"],
                text=one["value"],
                entity=None if one["ent-id"] == USER else one["ent-id"],
                span=_span(one),
            )
            for one in records_of(row, "triples", ("ent-id", "prop", "value"))
        )
    return {
        name: Answer(annotation=Annotation(mentions=tuple(mentions[name]), values=tuple(values[name])))
        for name in mentions
    }


def dialogue_answers(rows: Any) -> dict[str, Answer]:
    """Return the intents and replies of a track 2 result by sample id; the second dialogue of an id is `<id>~2`."""
    found: dict[str, Answer] = {}
    times: dict[str, int] = {}
    for name, row in named_rows(rows):
        times[name] = times.get(name, 0) + 1
        dialogue = name if times[name] == 1 else f"{name}~{times[name]}"
        content = row.get("content")
        for place, turn in enumerate(content if isinstance(content, list) else ()):
            if isinstance(turn, dict) and any(key in turn for key in GENERATED):
                found[f"{dialogue}{TURN_MARK}{place}"] = answer_of(turn)
    return found


def named_rows(rows: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows that have an id, with it."""
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and is_text(row.get("id")):
            yield row["id"], row


def records_of(row: dict[str, Any], key: str, texts: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list that have all these texts."""
    part = row.get(key)
    for one in part if isinstance(part, list) else ():
        if isinstance(one, dict) and all(is_text(one.get(text)) for text in texts):
            yield one


def _span(one: dict[str, Any]) -> Span | None:
    """Return the span of an entity or triple; `None` if the row does not name the utterance."""
    utterance: Any = one.get("utterance_id")
    place: Any = one.get("position")
    if is_count(utterance) and isinstance(place, list) and len(place) == 2 and all(map(is_count, place)):
        return Span(turn=utterance, start=place[0], end=place[1])
    return None
