"""MobileCS (SereTOD 2022): annotated dialogues, dialogues with a local knowledge base, both result files."""

from __future__ import annotations

import json
import re
from typing import Any

from duologue.core.records import (
    Act,
    Annotation,
    Answer,
    Dialogue,
    Example,
    Fact,
    Goal,
    Item,
    Mention,
    Sample,
    Span,
    Turn,
    Value,
)

ROLES = {"客服意图": "system", "用户意图": "user"}  # staff intent, user intent
USER = "NA"  # the user is never an entity
THE_USER = "user"  # the subject of facts about the user
CONSULT = "咨询"  # which entities of a type are there
WISHES = ("用户意图", "意图")  # what was done to ask: of an entity, of the user

_ACT = re.compile(r"([^,，(（]+)((?:[(（][^)）]*[)）])*)")
_ARGUMENT = re.compile(r"[(（]([^)）]*)[)）]")


def dumps(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


# Track 1: annotated dialogues -----------------------------------------------------------------------------


def read_dialogues(data: bytes) -> list[Dialogue]:
    return [_dialogue(row) for row in json.loads(data)]


def _dialogue(row: dict[str, Any]) -> Dialogue:
    turns = [turn for number, pair in enumerate(row["content"]) for turn in _pair(pair, 2 * number)]
    return Dialogue(id=row["id"], turns=tuple(turns), source=row)


def _pair(pair: dict[str, Any], first: int) -> list[Turn]:
    """Return the two utterances of a turn; the order of the intent keys says who spoke first."""
    roles = [ROLES[key] for key in pair if key in ROLES]
    intents = [pair[key] for key in pair if key in ROLES]
    voices = [key for key in pair if key.startswith("[SPEAKER")]
    turns = []
    for side, (role, intent, voice) in enumerate(zip(roles, intents, voices, strict=True), start=1):
        annotation = Annotation(
            acts=acts_of(intent, role),
            mentions=tuple(
                Mention(
                    label=entity["type"],
                    text=entity["name"],
                    entity=entity["id"],
                    span=Span(turn=first + side - 1, start=start, end=end),
                )
                for entity in pair["info"]["ents"]
                for where, start, end in _positions(entity["pos"])
                if where == side
            ),
            values=tuple(
                Value(
                    slot=triple["prop"],
                    text=triple["value"],
                    entity=None if triple["ent-id"] == USER else triple["ent-id"],
                    span=Span(turn=first + side - 1, start=triple["pos"][1], end=triple["pos"][2]),
                )
                for triple in pair["info"]["triples"]
                if triple["pos"][0] == side
            ),
        )
        turns.append(Turn(speaker=role, text=pair[voice], annotation=annotation, meta={"voice": voice}))
    return turns


def _positions(pos: list[Any]) -> list[list[int]]:
    """Return a list of positions; the challenge document also prints a flat one."""
    return [pos] if pos and isinstance(pos[0], int) else pos


def acts_of(intent: str, speaker: str) -> tuple[Act, ...]:
    return tuple(
        Act(speaker=speaker, name=match[1], args=tuple(_ARGUMENT.findall(match[2]))) for match in _ACT.finditer(intent)
    )


def intent_of(acts: tuple[Act, ...]) -> str:
    return ",".join(act.name + "".join(f"({argument})" for argument in act.args) for act in acts)


def write_dialogues(dialogues: list[Dialogue]) -> bytes:
    return dumps([_row(dialogue) for dialogue in dialogues])


def _row(dialogue: Dialogue) -> dict[str, Any]:
    pairs = [dialogue.turns[at : at + 2] for at in range(0, len(dialogue.turns), 2)]
    content = [_content(pair, model) for pair, model in zip(pairs, dialogue.source["content"], strict=True)]
    return {"id": dialogue.id, "content": content}


def _content(pair: tuple[Turn, ...], model: dict[str, Any]) -> dict[str, Any]:
    keys = {role: key for key, role in ROLES.items()}
    row: dict[str, Any] = {turn.meta["voice"]: turn.text for turn in pair}
    for turn in pair:
        assert turn.annotation is not None
        intent = intent_of(turn.annotation.acts)
        raw = model[keys[turn.speaker]]
        row[keys[turn.speaker]] = raw if acts_of(raw, turn.speaker) == turn.annotation.acts else intent
    row["info"] = {
        "ents": [_entity(pair, entity) for entity in model["info"]["ents"]],
        "triples": [_triple(pair, triple) for triple in model["info"]["triples"]],
    }
    return row


def _entity(pair: tuple[Turn, ...], model: dict[str, Any]) -> dict[str, Any]:
    found = [
        (side, mention)
        for side, turn in enumerate(pair, start=1)
        for mention in (turn.annotation.mentions if turn.annotation else ())
        if (mention.entity, mention.text) == (model["id"], model["name"])
    ]
    pos: list[Any] = [[side, one.span.start, one.span.end] for side, one in found if one.span is not None]
    flat = isinstance(model["pos"][0], int)
    mention = found[0][1]
    return {"name": mention.text, "id": mention.entity, "type": mention.label, "pos": pos[0] if flat else pos}


def _triple(pair: tuple[Turn, ...], model: dict[str, Any]) -> dict[str, Any]:
    side, start, end = model["pos"]
    annotation = pair[side - 1].annotation
    assert annotation is not None
    (value,) = (
        one
        for one in annotation.values
        if one.span is not None and (one.slot, one.span.start, one.span.end) == (model["prop"], start, end)
    )
    name = model["ent-name"]  # which of its names the annotator chose is read by nobody
    return {
        "ent-id": value.entity or USER,
        "ent-name": name,
        "prop": value.slot,
        "value": value.text,
        "pos": [side, start, end],
    }


# Track 1: results -----------------------------------------------------------------------------------------


def write_extraction(answers: list[tuple[str, Answer]]) -> bytes:
    return dumps([_extraction(name, answer.annotation) for name, answer in answers if answer.annotation])


def _extraction(name: str, annotation: Annotation) -> dict[str, Any]:
    entities = [
        {"id": one.entity, "name": one.text, "type": one.label, **_place(one.span)} for one in annotation.mentions
    ]
    names = {one.entity: one.text for one in annotation.mentions}
    triples = [
        {
            "ent-id": one.entity or USER,
            "ent-name": names.get(one.entity, USER),
            "prop": one.slot,
            "value": one.text,
            **_place(one.span),
        }
        for one in annotation.values
    ]
    return {"id": name, "entities": entities, "triples": triples}


def _place(span: Span | None) -> dict[str, Any]:
    assert span is not None
    return {"position": [span.start, span.end], "turn_id": span.turn // 2}


# Track 2: user turns with a local knowledge base ----------------------------------------------------------


def read_samples(data: bytes) -> list[Example]:
    """Return one example per user turn; the history holds the user's side alone until a system has answered."""
    return [example for row in json.loads(data) for example in _samples(row)]


def _samples(row: dict[str, Any]) -> list[Example]:
    knowledge = tuple(
        Fact(
            subject=THE_USER if entity == USER else entity,
            relation=slot,
            object=value if "," not in value else tuple(value.split(",")),
        )
        for entity, table in row["KB"].items()
        for slot, value in table.items()
    )
    goal, heard, examples = goal_of(row["goal"]), [], []
    for number, turn in enumerate(row["content"]):
        heard.append(Turn(speaker="user", text=turn["用户"]))
        sample = Sample(id=f"{row['id']}#{number}", dialogue_id=row["id"], history=tuple(heard), knowledge=knowledge)
        examples.append(Example(sample=sample, user_goal=goal, source=row))
    return examples


def goal_of(goal: dict[str, Any]) -> Goal:
    items = []
    for name, table in goal.items():
        if name == CONSULT:
            continue
        slots = {slot: value.split(",") for slot, value in table.items() if slot not in (*WISHES, "type")}
        said = {slot: [value for value in values if value != "?"] for slot, values in slots.items()}
        intents = [table[key].split(",") for key in WISHES if key in table]
        items.append(
            Item(
                name=None if name == USER else name,
                kind=table.get("type"),
                known={slot: ",".join(values) for slot, values in said.items() if values},
                asked=tuple(slot for slot, values in slots.items() if "?" in values),
                intents=tuple(intents[0]) if intents else (),
            )
        )
    return Goal(items=tuple(items), consultations=tuple(goal.get(CONSULT, ())))


def write_samples(examples: list[Example]) -> bytes:
    """Return the file of the dialogues whose samples these are."""
    by_dialogue: dict[str, list[Example]] = {}
    for example in examples:
        by_dialogue.setdefault(example.sample.dialogue_id, []).append(example)
    return dumps([_sample_row(name, group) for name, group in by_dialogue.items()])


def _sample_row(name: str, group: list[Example]) -> dict[str, Any]:
    base: dict[str, dict[str, str]] = {}
    for fact in group[0].sample.knowledge:
        value = ",".join(fact.object) if isinstance(fact.object, tuple) else str(fact.object)
        base.setdefault(USER if fact.subject == THE_USER else fact.subject, {})[fact.relation] = value
    goal = group[0].user_goal
    assert goal is not None
    blanks = dict.fromkeys(("用户意图-生成", "客服意图-生成", "客服-生成"), "")
    content = [{"用户": example.sample.history[-1].text, **blanks} for example in group]
    return {"id": name, "KB": base, "goal": _goal_row(goal, group[0].source["goal"]), "content": content}


def _goal_row(goal: Goal, model: dict[str, Any]) -> dict[str, Any]:
    items = {item.name or USER: item for item in goal.items}
    row: dict[str, Any] = {}
    for name, table in model.items():
        if name == CONSULT:
            row[name] = list(goal.consultations)
            continue
        item = items[name]
        row[name] = {key: _goal_value(item, key) for key in table}
    return row


def _goal_value(item: Item, key: str) -> str:
    if key == "type":
        return item.kind or ""
    if key in WISHES:
        return ",".join(item.intents)
    return ",".join(([] if key not in item.asked else ["?"]) + ([item.known[key]] if key in item.known else []))


def write_replies(examples: list[Example], answers: list[Answer]) -> bytes:
    """Return the result file of track 2: the test file with its blanks filled."""
    rows = json.loads(write_samples(examples))
    filled = iter(answers)
    for row in rows:
        for turn in row["content"]:
            answer = next(filled)
            acts = answer.annotation.acts if answer.annotation else ()
            turn["用户意图-生成"] = intent_of(tuple(act for act in acts if act.speaker == "user"))
            turn["客服意图-生成"] = intent_of(tuple(act for act in acts if act.speaker == "system"))
            turn["客服-生成"] = answer.text
    return dumps(rows)


def read_replies(data: bytes) -> list[Answer]:
    return [
        Answer(
            text=turn["客服-生成"],
            annotation=Annotation(
                acts=acts_of(turn["用户意图-生成"], "user") + acts_of(turn["客服意图-生成"], "system")
            ),
        )
        for row in json.loads(data)
        for turn in row["content"]
    ]
