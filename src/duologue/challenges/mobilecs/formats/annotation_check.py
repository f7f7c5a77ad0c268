"""Checks a dialogue that people annotated: the rules of raw files, and those of the guideline."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.formats.annotated_rows import annotated_row
from duologue.challenges.mobilecs.formats.issues import Issues
from duologue.challenges.mobilecs.formats.raw import read_dialogues
from duologue.challenges.mobilecs.schema.annotation_scheme import annotation_scheme
from duologue.challenges.mobilecs.schema.english import bilingual
from duologue.challenges.mobilecs.schema.intents import entity_argument
from duologue.challenges.mobilecs.schema.ontology import STAFF_INTENT, USER_INTENT
from duologue.core.annotation import PlacedProblem
from duologue.core.decoded import shown
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.core.annotation import AnnotationScheme
    from duologue.core.records import Act, Annotation, Dialogue, Turn, Value

RULES = {
    "intent-none": "an utterance with words has an intent",
    "intent-unknown": "an intent is one of its speaker's inventory",
    "intent-repeated": "an utterance has each intent once",
    "arguments-unusual": "only intents that ask for something have arguments (a warning)",
    "argument-form": "an argument is `<entity>-<slot>` of a mentioned entity, a slot of the user, or a type",
    "type-unknown": "a type is one of the ten entity types",
    "slot-unknown": "a slot is one of its owner's, an entity or the user",
    "entity-form": "an entity's id is `ent-` and a number from 1",
    "entity-types": "all mentions of an entity have one type (a warning)",
    "mention-repeated": "the same words are one mention of an entity, of one type",
    "value-repeated": "the same words are one value of a slot",
    "value-owner": "the entity that has a value is mentioned",
    "value-early": "it is mentioned in the turn of the value or before (a warning)",
}
"""Rules of the guideline by id; those of raw files are in `raw.RULES`."""

_CONTENT = re.compile(r"/content/(\d+)(?:/(?:(客服意图|用户意图)|info/(?:ents|triples)/\d+/pos))?")
_ID = re.compile(r"ent-[1-9]\d{0,3}")


def check_annotation(dialogue: Dialogue) -> list[PlacedProblem]:
    """Return all problems, each with its utterance: of the official row as the reader finds it, then of the labels."""
    issues = Issues()
    read_dialogues([annotated_row(dialogue)], issues)
    found = [PlacedProblem(one, _utterance(one.place, dialogue)) for one in issues.problems]
    scheme = annotation_scheme()
    mentioned = _first_mentions(dialogue)
    for place, turn in enumerate(dialogue.turns):
        found += [PlacedProblem(problem, place) for problem in _of_turn(turn, place, mentioned, scheme)]
    found += _of_entities(dialogue)
    return found


def _utterance(place: str, dialogue: Dialogue) -> int | None:
    """Return the utterance of a JSON pointer: that of the speaker whose intent it names, else the turn's first."""
    at = _CONTENT.search(place)
    if at is None or 2 * int(at[1]) >= len(dialogue.turns):
        return None
    first = 2 * int(at[1])
    role = {STAFF_INTENT: "system", USER_INTENT: "user"}.get(at[2] or "")
    pair = dialogue.turns[first : first + 2]
    return first + next((side for side, turn in enumerate(pair) if turn.speaker == role), 0)


def _first_mentions(dialogue: Dialogue) -> dict[str, int]:
    """Return by entity the utterance of its first mention."""
    found: dict[str, int] = {}
    for place, turn in enumerate(dialogue.turns):
        for one in turn.annotation.mentions if turn.annotation is not None else ():
            if one.entity is not None:
                found.setdefault(one.entity, place)
    return found


def _problem(rule: str, place: int, message: str, advice: str = "", *, warning: bool = False) -> Problem:
    severity = "warning" if warning else "error"
    return Problem(rule=rule, place=f"utterance {place + 1}", message=message, advice=advice, severity=severity)


def _of_turn(turn: Turn, place: int, mentioned: dict[str, int], scheme: AnnotationScheme) -> Iterator[Problem]:
    found = turn.annotation
    if found is None or not found.acts:
        if turn.text.strip():
            yield _problem("intent-none", place, "the utterance has no intent", "where none can be told it is 其他")
        if found is None:
            return
    yield from _of_intents(found, turn.speaker, place, mentioned, scheme)
    marked = set()
    for one in found.mentions:
        if one.label not in scheme.types:
            yield _problem("type-unknown", place, f"{shown(one.label)} is none of the ten entity types")
        if one.entity is None or not _ID.fullmatch(one.entity):
            message = f"{shown(one.text)} belongs to {shown(one.entity)}, expected an id such as ent-1"
            yield _problem("entity-form", place, message)
        if (one.span, one.entity) in marked:
            yield _problem("mention-repeated", place, f"{shown(one.text)} is marked twice as {one.entity}")
        marked.add((one.span, one.entity))
    filled = set()
    for value in found.values:
        yield from _of_value(value, place, mentioned, scheme)
        key = (value.span, value.entity, value.slot)
        if key in filled:
            yield _problem("value-repeated", place, f"{shown(value.text)} fills {bilingual(value.slot)} twice")
        filled.add(key)


def _of_value(value: Value, place: int, mentioned: dict[str, int], scheme: AnnotationScheme) -> Iterator[Problem]:
    owner = "the user" if value.entity is None else "an entity"
    if value.slot not in (scheme.user_slots if value.entity is None else scheme.slots):
        yield _problem("slot-unknown", place, f"{shown(value.slot)} is no slot of {owner}")
    if value.entity is None:
        return
    first = mentioned.get(value.entity)
    if first is None:
        message = f"{shown(value.text)} is a value of {value.entity}, which is nowhere mentioned"
        yield _problem("value-owner", place, message, "mark its mention, or give the value to another entity")
    elif first // 2 > place // 2:
        message = f"{shown(value.text)} is a value of {value.entity}, first mentioned in utterance {first + 1}"
        yield _problem("value-early", place, message, warning=True)


def _of_intents(
    found: Annotation, speaker: str, place: int, mentioned: dict[str, int], scheme: AnnotationScheme
) -> Iterator[Problem]:
    seen = set()
    for act in found.acts:
        if act.name not in scheme.intents.get(speaker, ()):
            whose = "the user's" if speaker == "user" else "the staff's"
            yield _problem("intent-unknown", place, f"{shown(act.name)} is none of {whose} intents")
        elif act.args and act.name not in scheme.with_arguments:
            message = f"{bilingual(act.name)} has arguments, which {', '.join(scheme.with_arguments)} have"
            yield _problem("arguments-unusual", place, message, warning=True)
        if act.name in seen:
            yield _problem("intent-repeated", place, f"{bilingual(act.name)} is given twice", "join their arguments")
        seen.add(act.name)
        yield from _of_arguments(act, place, mentioned, scheme)


def _of_arguments(act: Act, place: int, mentioned: dict[str, int], scheme: AnnotationScheme) -> Iterator[Problem]:
    for argument in act.args:
        of_entity = entity_argument(argument)
        if of_entity is not None:
            entity, slot = of_entity
            if entity not in mentioned:
                message = f"the argument {shown(argument)} names {entity}, which is nowhere mentioned"
                yield _problem("argument-form", place, message)
            if slot not in scheme.slots:
                yield _problem("argument-form", place, f"{shown(slot)} of {shown(argument)} is no slot of an entity")
        elif argument not in scheme.user_slots and argument not in scheme.types:
            advice = "give an entity with a slot, such as ent-1-业务规则"
            message = f"the argument {shown(argument)} is no slot of the user and no type"
            yield _problem("argument-form", place, message, advice)


def _of_entities(dialogue: Dialogue) -> Iterator[PlacedProblem]:
    types: dict[str, dict[str, int]] = defaultdict(dict)
    for place, turn in enumerate(dialogue.turns):
        for one in turn.annotation.mentions if turn.annotation is not None else ():
            if one.entity is not None:
                types[one.entity].setdefault(one.label, place)
    for entity, labels in types.items():
        if len(labels) > 1:
            place = max(labels.values())
            message = f"{entity} is {', '.join(map(bilingual, labels))}"
            advice = "give all its mentions the finest type that is sure, or make them two entities"
            yield PlacedProblem(_problem("entity-types", place, message, advice, warning=True), place)
