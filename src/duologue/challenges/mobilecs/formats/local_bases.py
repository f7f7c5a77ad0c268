"""Local knowledge bases from extracted mentions and values, as the official preprocessing makes them of annotation.

Track 1 feeds track 2: a call that nobody annotated gets a knowledge base of what a system found in it (section 12).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from duologue.challenges.mobilecs.formats import preprocessor
from duologue.challenges.mobilecs.formats.turn_info import TurnInfos
from duologue.challenges.mobilecs.schema.ontology import STAFF_INTENT, USER_INTENT
from duologue.core.records import Annotation
from duologue.text.anonymiser import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.records import Answer, Example, Span, Turn

_INTENTS = {"system": STAFF_INTENT, "user": USER_INTENT}
_UNKNOWN = "其他"
"""Stands for an intent while a bare call is preprocessed."""
_COVERED = "\0"


class LocalBases(NamedTuple):
    """Track 2 dialogues with local knowledge bases."""

    rows: list[dict[str, Any]]
    """Re-paired dialogues: `id`, `KB`, `content`; `goal` and intents where the calls have intents."""
    discarded: list[str]
    """Calls that the official preprocessing discards: without turns, confused, or opened by both in turn."""


def local_bases(examples: Sequence[Example], answers: Mapping[str, Answer]) -> LocalBases:
    """Return calls as track 2 dialogues whose knowledge bases hold what the answers say; other annotation is not read.

    What was found within placeholders of personal data, such as `<NAME_1>`, is left out.
    The order is the official one: calls that the staff opens, then those that the user opens.
    """
    rows, bare, discarded = [], set(), []
    for example in examples:
        name = example.sample.id
        row, complete = _annotated_row(example, answers)
        if preprocessor.bucket_of(row["content"]) == "others":
            discarded.append(name)
            continue
        rows.append(row)
        if not complete:
            bare.add(name)
    made = preprocessor.process(rows, shared=False)
    return LocalBases([_bare(row) if row["id"] in bare else row for row in made], discarded)


def _annotated_row(example: Example, answers: Mapping[str, Answer]) -> tuple[dict[str, Any], bool]:
    """Return the raw row of a call with an answer as its annotation, and whether all its intents are known."""
    answer = answers.get(example.sample.id)
    turns = example.sample.history
    found = answer.annotation if answer is not None and answer.annotation is not None else Annotation()
    if any("<" in turn.text for turn in turns):
        found = _without_placeholders(found, turns)
    given = example.source["content"] if isinstance(example.source, dict) else example.source
    content, complete = [], True
    infos = TurnInfos(found)
    for number in range(0, len(turns), 2):
        pair = turns[number : number + 2]
        keys = [_INTENTS[turn.speaker] for turn in pair]
        known = given[number // 2]
        complete = complete and all(key in known for key in keys)
        content.append(
            {
                **{turn.meta["voice"]: turn.text for turn in pair},
                **{key: known.get(key, _UNKNOWN) for key in keys},
                "info": infos.of(number, len(pair)),
            }
        )
    return {"id": example.sample.id, "content": content}, complete


def _without_placeholders(found: Annotation, turns: Sequence[Turn]) -> Annotation:
    """Return an annotation without what lies in placeholders of personal data, which name no service and no price."""
    shapes = [PLACEHOLDER.sub(lambda match: _COVERED * len(match[0]), turn.text) for turn in turns]

    def stays(span: Span | None) -> bool:
        return span is None or bool(shapes[span.turn][span.start : span.end].strip(_COVERED))

    mentions = tuple(one for one in found.mentions if stays(one.span))
    gone = {one.entity for one in found.mentions} - {one.entity for one in mentions}
    values = tuple(one for one in found.values if stays(one.span) and (one.entity is None or one.entity not in gone))
    return replace(found, mentions=mentions, values=values)


def _bare(row: dict[str, Any]) -> dict[str, Any]:
    """Return a dialogue without what only intents can tell."""
    content = [
        {key: value for key, value in turn.items() if key not in (STAFF_INTENT, USER_INTENT)} for turn in row["content"]
    ]
    return {"id": row["id"], "KB": row["KB"], "content": content}
