"""Files of both tracks as a page shows them: marked utterances with English names, knowledge base, goal, intents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats import files
from duologue.challenges.mobilecs.formats.tables import base_view, goal_view
from duologue.challenges.mobilecs.formats.walker import (
    RAW,
    SPEAKERS,
    TRACK_2,
    entities_in,
    generated,
    paired_turns,
    place_of,
    read_any,
    triples_in,
    utterance_of,
)
from duologue.challenges.mobilecs.schema.english import told_label, told_owner
from duologue.challenges.mobilecs.schema.ontology import GENERATED
from duologue.core.dialogue_view import DialogueView, TableView, UtteranceView

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Row = dict[str, Any]


def views(path: Path) -> Iterator[DialogueView]:
    """Yield each dialogue, or what a result holds of it. Raises as `walker.read_any` does."""
    form, found = read_any(path)
    for one in found:
        if form == RAW:
            yield DialogueView(one.id, [utterance_of(SPEAKERS[turn.speaker], turn) for turn in one.turns])
        elif form == TRACK_2:
            yield _of_track2(*one)
        else:
            yield _of_result(*one)


def _of_track2(name: str, row: Row) -> DialogueView:
    tables = [base_view(row["KB"])]
    if row.get("goal") is not None:
        tables.append(goal_view(row["goal"]))
    said: list[UtteranceView] = []
    for place, turn in enumerate(row["content"]):
        user, staff = paired_turns(turn, place)
        said.append(utterance_of("user", user))
        if staff is not None:
            said.append(utterance_of("staff", staff))
        if any(key in turn for key in GENERATED):
            said.append(generated(files.answer_of(turn)))
    return DialogueView(name, said, tables)


def _of_result(name: str, row: Row) -> DialogueView:
    heads = ("place", "words", "entity")
    mentions = [(place_of(one), one["name"], one["id"], told_label(one["type"])) for one in entities_in(row)]
    values = [
        (place_of(one), one["value"], told_owner(one["ent-id"]), told_label(one["prop"])) for one in triples_in(row)
    ]
    return DialogueView(
        name, (), [TableView("mentions", (*heads, "type"), mentions), TableView("values", (*heads, "slot"), values)]
    )
