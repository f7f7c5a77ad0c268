"""Walker: the files of both tracks as plain text with English names, and their statistics."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats import files, raw, track2
from duologue.challenges.mobilecs.formats.annotations import read_annotations
from duologue.challenges.mobilecs.formats.answers import named_rows, records_of
from duologue.challenges.mobilecs.formats.issues import Issues, is_count
from duologue.challenges.mobilecs.formats.overlay import marked_utterance, marks_of
from duologue.challenges.mobilecs.formats.tables import base_table, goal_table
from duologue.challenges.mobilecs.knowledge.goal import goal_of
from duologue.challenges.mobilecs.schema.english import bilingual, owner_of, told_acts
from duologue.challenges.mobilecs.schema.intents import acts_of
from duologue.challenges.mobilecs.schema.ontology import (
    GENERATED,
    STAFF_INTENT,
    STAFF_TEXT,
    USER,
    USER_INTENT,
    USER_TEXT,
)
from duologue.core.annotation import Bilingual
from duologue.core.dialogue_view import UtteranceView, in_two, utterance_lines
from duologue.core.records import Annotation, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from duologue.core.dialogue_view import Said
    from duologue.core.records import Act, Answer, Dialogue

    Statistics = dict[str, int | float | list[Said]]
    Row = dict[str, Any]

RAW, TRACK_2, RESULT_1 = "raw", "track2", "track 1 result"
"""Forms of a file; a track 2 result has the form of the data it answers, with generated fields."""

SPEAKERS = {"system": "staff", "user": "user"}
"""Who speaks, as people are told."""
_COMMONEST = 10
"""Most frequent labels that statistics list."""


def read_any(path: Path) -> tuple[str, list[Any]]:
    """Return the form of a file and its content: `Dialogue`s of a raw file, else ids with rows.

    Raises `FormatError` with all problems of the file, `StorageError`.
    """
    issues = Issues()
    rows = files.decode(path, issues)
    form = _form(rows)
    found: list[Any]
    if form == RESULT_1:
        found = list(named_rows(rows))
    elif form == TRACK_2:
        found = list(track2.read_rows(rows, issues))
    else:
        found = list(raw.read_dialogues(rows, issues))
    files.raise_or_log(path, issues)
    return form, found


def _form(rows: Any) -> str:
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            if "entities" in row:
                return RESULT_1
            content = row.get("content")
            turns = [turn for turn in content if isinstance(turn, dict)] if isinstance(content, list) else []
            if "KB" in row or any(key in turn for turn in turns for key in (USER_TEXT, *GENERATED)):
                return TRACK_2
    return RAW


def dump(path: Path, write: Callable[[str], object]) -> None:
    """Write each dialogue: utterances with their marks, what each mark is, intents; knowledge base and goal.

    Raises as `read_any` does.
    """
    form, found = read_any(path)
    for one in found:
        lines = _of_raw(one) if form == RAW else _of_track2(*one) if form == TRACK_2 else _of_result(*one)
        for line in (*lines, ""):
            write(f"{line}\n")


# ------------------------------------------------------------------------------------------- dialogues


def _of_raw(dialogue: Dialogue) -> Iterator[str]:
    yield f"dialogue: {dialogue.id}"
    for at, turn in enumerate(dialogue.turns):
        yield from _utterance(None if at % 2 else at // 2, utterance_of(SPEAKERS[turn.speaker], turn))


def _of_track2(name: str, row: Row) -> Iterator[str]:
    yield f"dialogue: {name}"
    yield from base_table(row["KB"])
    if row.get("goal") is not None:
        yield from goal_table(row["goal"])
    for place, turn in enumerate(row["content"]):
        user, staff = paired_turns(turn, place)
        yield from _utterance(place, utterance_of("user", user))
        if staff is not None:
            yield from _utterance(None, utterance_of("staff", staff))
        if any(key in turn for key in GENERATED):
            yield from _utterance(None, generated(files.answer_of(turn)))


def _utterance(number: int | None, said: UtteranceView) -> Iterator[str]:
    """Yield an utterance with its marks, then what these are, and notes; `number` is that of the turn it opens."""
    counted = "" if number is None else str(number)
    return utterance_lines(said, f"{counted:>3} {said.speaker:6} ", " " * 11)


def utterance_of(speaker: str, turn: Turn) -> UtteranceView:
    """Return an utterance with its marks and its intents."""
    if turn.annotation is None:
        return UtteranceView(speaker, turn.text)
    acts = turn.annotation.acts
    notes = [_noted("intents", "意图", acts)] if acts else []
    return marked_utterance(speaker, turn.text, marks_of(turn.text, turn.annotation), notes)


def generated(answer: Answer) -> UtteranceView:
    """Return a reply of a system, and the intents that it understood and chose."""
    said = Bilingual(en="(no reply)", zh="（无回复）") if answer.text is None else answer.text
    acts = answer.annotation.acts if answer.annotation else ()
    sides = {"user": ("understood", "理解为"), "system": ("chosen", "选择")}
    mine = {speaker: [act for act in acts if act.speaker == speaker] for speaker in sides}
    notes = [_noted(*sides[speaker], found) for speaker, found in mine.items() if found]
    return UtteranceView("system", said, (), notes, "answer")


def _noted(en: str, zh: str, acts: Sequence[Act]) -> Bilingual:
    told = told_acts(acts)
    return Bilingual(en=f"{en}: {told.en}", zh=f"{zh}：{told.zh}")


def paired_turns(turn: Row, place: int) -> tuple[Turn, Turn | None]:
    """Return both utterances of a re-paired turn; `None` for what the staff said where it is not told."""
    texts = [turn[USER_TEXT], turn.get(STAFF_TEXT, "")]
    marked = read_annotations(turn["info"], place, texts, Issues()) if "info" in turn else ((), ())
    sides: tuple[tuple[list[Any], list[Any]], ...] = (([], []), ([], []))
    for kind, parts in enumerate(marked):
        for one in parts:
            sides[_side(one, place, texts)][kind].append(one)
    made = [
        Turn(
            speaker=speaker,
            text=text,
            annotation=Annotation(acts=acts_of(turn.get(intent, ""), speaker), mentions=mentions, values=values),
        )
        for speaker, text, intent, (mentions, values) in zip(
            ("user", "system"),
            texts,
            (USER_INTENT, STAFF_INTENT),
            ((tuple(a), tuple(b)) for a, b in sides),
            strict=True,
        )
    ]
    return made[0], made[1] if STAFF_TEXT in turn else None


def _side(one: Any, place: int, texts: Sequence[str]) -> int:
    """Return the side that says the words: the official conversion leaves the wrong one where both say them."""
    side: int = one.span.turn - 2 * place
    return 1 - side if one.text not in texts[side] and one.text in texts[1 - side] else side


# --------------------------------------------------------------------------------------------- results


def _of_result(name: str, row: Row) -> Iterator[str]:
    entities, triples = entities_in(row), triples_in(row)
    yield f"result: {name}"
    for one in entities:
        yield f"    {_before(place_of(one))}{one['name']}: {one['id']} is {bilingual(one['type'])}"
    for one in triples:
        yield f"    {_before(place_of(one))}{one['value']}: {owner_of(one['ent-id'])} has {bilingual(one['prop'])}"
    if not entities and not triples:
        yield "    (nothing found)"


def entities_in(row: Row) -> list[Row]:
    """Return the entities of a row of a result."""
    return list(records_of(row, "entities", ("id", "name", "type")))


def triples_in(row: Row) -> list[Row]:
    """Return the triples of a row of a result."""
    return list(records_of(row, "triples", ("ent-id", "prop", "value")))


def place_of(one: Row) -> Bilingual:
    """Return the place of an entity or triple: turn, and utterance where it is told, with its characters."""
    keys = (("turn", "轮次", "turn_id"), ("utterance", "话语", "utterance_id"))
    told = [(f"{en} {one[key]}", f"{zh} {one[key]}") for en, zh, key in keys if is_count(one.get(key))]
    position = one.get("position")
    if isinstance(position, list) and len(position) == 2 and all(map(is_count, position)):
        told.append((f"characters {position[0]}-{position[1]}", f"字符 {position[0]}-{position[1]}"))
    return Bilingual(en=", ".join(en for en, _ in told), zh="，".join(zh for _, zh in told))


def _before(place: Bilingual) -> str:
    return f"{place.en}: " if place.en else ""


# ------------------------------------------------------------------------------------------ statistics


def statistics(path: Path) -> Statistics:
    """Return counts and means of a file, and its commonest labels. Raises as `read_any` does."""
    form, found = read_any(path)
    if form == RESULT_1:
        return {"form": [form], "dialogues": len(found), **_of_records([row for _, row in found])}
    if form == TRACK_2:
        return _track2_statistics(found)
    turns = [turn for dialogue in found for turn in dialogue.turns]
    marked = [turn.annotation for turn in turns if turn.annotation is not None]
    entities = {
        (dialogue.id, mention.entity)
        for dialogue in found
        for turn in dialogue.turns
        if turn.annotation is not None
        for mention in turn.annotation.mentions
    }
    mentions = [mention for one in marked for mention in one.mentions]
    return {
        "form": [form],
        "dialogues": len(found),
        "annotated_dialogues": sum(any(turn.annotation is not None for turn in one.turns) for one in found),
        "turns": len(turns) // 2,
        "turns_per_dialogue": _share(len(turns) // 2, len(found)),
        **_lengths(turns),
        "mentions": len(mentions),
        "entities": len(entities),
        "entities_per_dialogue": _share(len(entities), len(found)),
        "values": sum(len(one.values) for one in marked),
        "types": commonest(mention.label for mention in mentions),
        "slots": commonest(value.slot for one in marked for value in one.values),
        **_intents(marked),
    }


def _track2_statistics(found: Sequence[tuple[str, Row]]) -> Statistics:
    rows = [row for _, row in found]
    pairs = [paired_turns(turn, place) for row in rows for place, turn in enumerate(row["content"])]
    turns = [turn for turn in chain.from_iterable(pairs) if turn is not None]
    goals = [goal for row in rows if (goal := goal_of(row.get("goal"))) is not None]
    entities = [slots for row in rows for entity, slots in row["KB"].items() if entity != USER]
    asked = [[slot for item in goal.items for slot in item.asked] for goal in goals]
    return {
        "form": [TRACK_2],
        "dialogues": len(rows),
        "turns": len(pairs),
        "turns_per_dialogue": _share(len(pairs), len(rows)),
        **_lengths(turns),
        "turns_with_a_generated_reply": sum(GENERATED[2] in turn for row in rows for turn in row["content"]),
        "entities": len(entities),
        "entities_per_dialogue": _share(len(entities), len(rows)),
        "empty_knowledge_bases": sum(not row["KB"] for row in rows),
        "with_facts_about_the_user": sum(USER in row["KB"] for row in rows),
        "goals": len(goals),
        "goals_with_a_request": sum(map(bool, asked)),
        "types": commonest(slots["type"] for slots in entities if "type" in slots),
        "slots": commonest(
            slot for row in rows for slots in row["KB"].values() for slot in slots if slot not in {"name", "type"}
        ),
        "requested_slots": commonest(chain.from_iterable(asked)),
        **_intents([turn.annotation for turn in turns if turn.annotation is not None]),
    }


def _of_records(rows: Sequence[Row]) -> Statistics:
    entities = [one for row in rows for one in entities_in(row)]
    triples = [one for row in rows for one in triples_in(row)]
    return {
        "mentions": len(entities),
        "values": len(triples),
        "types": commonest(one["type"] for one in entities),
        "slots": commonest(one["prop"] for one in triples),
    }


def _lengths(turns: Sequence[Turn]) -> Statistics:
    found: Statistics = {}
    names = {"user": "characters_per_user_utterance", "system": "characters_per_staff_utterance"}
    for speaker, name in names.items():
        texts = [turn.text for turn in turns if turn.speaker == speaker]
        found[name] = _share(sum(map(len, texts)), len(texts))
    return found


def _intents(marked: Sequence[Annotation]) -> Statistics:
    acts = [act for one in marked for act in one.acts]
    return {
        name: commonest(act.name for act in acts if act.speaker == speaker)
        for speaker, name in {"user": "user_intents", "system": "staff_intents"}.items()
    }


def commonest(labels: Iterable[str]) -> list[Said]:
    """Return the most frequent labels with counts in both languages, the Chinese ones without their English names."""
    ranked = sorted(Counter(labels).items(), key=lambda entry: (-entry[1], entry[0]))
    return [in_two(f"{bilingual(label)} {count}", f"{label} {count}") for label, count in ranked[:_COMMONEST]]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
