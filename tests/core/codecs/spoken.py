"""Spoken dialogue (Huawei 2022) and KdConv: dialogues, test samples, knowledge graph, results."""

from __future__ import annotations

import json
from typing import Any

from duologue.core.records import Annotation, Answer, Dialogue, Example, Fact, Sample, Turn

NAMES = {"name": "subject", "attrname": "relation", "attrvalue": "object"}
WORLD = "kg"


def dumps(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def read_dialogues(data: bytes) -> list[Dialogue]:
    return [
        Dialogue(
            id=f"dialogue-{number}",
            turns=tuple(_turn(message, at) for at, message in enumerate(row["messages"])),
            meta={"start": row["name"]},
            source=row,
        )
        for number, row in enumerate(json.loads(data))
    ]


def _turn(message: dict[str, Any], at: int) -> Turn:
    speaker = ("user", "system")[at % 2]
    if "attrs" not in message:  # absent where no knowledge is used, never empty
        return Turn(speaker=speaker, text=message["message"])
    return Turn(speaker=speaker, text=message["message"], annotation=Annotation(facts=_facts(message["attrs"])))


def _facts(attrs: list[dict[str, Any]]) -> tuple[Fact, ...]:
    return tuple(Fact(**{NAMES[key]: _value(value) for key, value in attr.items()}) for attr in attrs)


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def write_dialogues(dialogues: list[Dialogue]) -> bytes:
    return dumps([_dialogue_row(dialogue) for dialogue in dialogues])


def _dialogue_row(dialogue: Dialogue) -> dict[str, Any]:
    models = dialogue.source["messages"]
    messages = [_message(turn, model) for turn, model in zip(dialogue.turns, models, strict=True)]
    parts = {"name": dialogue.meta["start"], "messages": messages}
    return {key: parts[key] for key in dialogue.source}


def _message(turn: Turn, model: dict[str, Any]) -> dict[str, Any]:
    parts: dict[str, Any] = {"message": turn.text}
    if turn.annotation is not None:
        attrs = zip(turn.annotation.facts, model["attrs"], strict=True)
        parts["attrs"] = [_attr(fact, list(order)) for fact, order in attrs]
    return {key: parts[key] for key in model}


def _attr(fact: Fact, order: list[str]) -> dict[str, Any]:
    return {key: getattr(fact, NAMES[key]) for key in order}


def read_test(data: bytes) -> list[Example]:
    return [
        Example(
            sample=Sample(
                id=name,
                dialogue_id=name,
                history=tuple(_turn(message, at) for at, message in enumerate(messages)),
                world=WORLD,
            )
        )
        for name, messages in json.loads(data).items()
    ]


def write_test(examples: list[Example]) -> bytes:
    return dumps(
        {example.sample.id: [{"message": turn.text} for turn in example.sample.history] for example in examples}
    )


def read_graph(data: bytes) -> list[Fact]:
    return [
        Fact(subject=subject, relation=relation, object=value)
        for rows in json.loads(data).values()
        for subject, relation, value in rows
    ]


def write_graph(facts: list[Fact]) -> bytes:
    graph: dict[str, list[list[Any]]] = {}
    for fact in facts:
        graph.setdefault(fact.subject, []).append([fact.subject, fact.relation, fact.object])
    return dumps(graph)


def read_results(data: bytes) -> list[tuple[str, Answer]]:
    return [
        (
            name,
            Answer(text=row["message"], annotation=Annotation(facts=_facts(row["attrs"])) if "attrs" in row else None),
        )
        for name, row in json.loads(data).items()
    ]


def write_results(answers: list[tuple[str, Answer]]) -> bytes:
    rows: dict[str, dict[str, Any]] = {}
    for name, answer in answers:
        rows[name] = {"message": answer.text}
        if answer.annotation is not None:
            rows[name]["attrs"] = [_attr(fact, list(NAMES)) for fact in answer.annotation.facts]
    return dumps(rows)
