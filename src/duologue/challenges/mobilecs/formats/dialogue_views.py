"""Files of both tracks as a page shows them: marked utterances with English names, knowledge base, goal, intents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats import files
from duologue.challenges.mobilecs.formats.overlay import marks_of, meaning_of
from duologue.challenges.mobilecs.formats.tables import base_view, goal_view
from duologue.challenges.mobilecs.formats.walker import (
    RAW,
    SPEAKERS,
    TRACK_2,
    entities_in,
    paired_turns,
    place_of,
    read_any,
    triples_in,
)
from duologue.challenges.mobilecs.schema.english import bilingual, bilingual_acts, owner_of
from duologue.challenges.mobilecs.schema.ontology import GENERATED
from duologue.core.dialogue_view import DialogueView, TableView, UtteranceView
from duologue.core.marked_text import MarkedText, Stretch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from duologue.core.records import Answer, Turn

    Row = dict[str, Any]


def views(path: Path) -> Iterator[DialogueView]:
    """Yield each dialogue, or what a result holds of it. Raises as `walker.read_any` does."""
    form, found = read_any(path)
    for one in found:
        if form == RAW:
            yield DialogueView(one.id, [_utterance(SPEAKERS[turn.speaker], turn) for turn in one.turns])
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
        said.append(_utterance("user", user))
        if staff is not None:
            said.append(_utterance("staff", staff))
        if any(key in turn for key in GENERATED):
            said.append(_generated(files.answer_of(turn)))
    return DialogueView(name, said, tables)


def _utterance(speaker: str, turn: Turn) -> UtteranceView:
    if turn.annotation is None:
        return UtteranceView(speaker, turn.text)
    marks = marks_of(turn.text, turn.annotation)
    stretches = tuple(Stretch(mark.start, mark.end, "; ".join(mark.meanings)) for mark in marks)
    acts = turn.annotation.acts
    return UtteranceView(
        speaker,
        MarkedText(turn.text, stretches, numbered=True),
        [meaning_of(mark) for mark in marks],
        [f"intents: {bilingual_acts(acts)}"] if acts else [],
    )


def _generated(answer: Answer) -> UtteranceView:
    acts = answer.annotation.acts if answer.annotation else ()
    told = []
    for speaker, how in (("user", "understood"), ("system", "chosen")):
        mine = [act for act in acts if act.speaker == speaker]
        if mine:
            told.append(f"{how}: {bilingual_acts(mine)}")
    return UtteranceView("system", "(no reply)" if answer.text is None else answer.text, (), told)


def _of_result(name: str, row: Row) -> DialogueView:
    heads = ("place", "words", "entity")
    mentions = [
        (place_of(one).removesuffix(": "), one["name"], one["id"], bilingual(one["type"])) for one in entities_in(row)
    ]
    values = [
        (place_of(one).removesuffix(": "), one["value"], owner_of(one["ent-id"]), bilingual(one["prop"]))
        for one in triples_in(row)
    ]
    return DialogueView(
        name, (), [TableView("mentions", (*heads, "type"), mentions), TableView("values", (*heads, "slot"), values)]
    )
