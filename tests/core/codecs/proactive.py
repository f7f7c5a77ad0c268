"""DuConv (LIC 2019): sessions, samples and prediction files, one JSON object or one reply a line."""

from __future__ import annotations

import json
from typing import Any

from duologue.core.records import Answer, Dialogue, Example, Fact, Goal, Sample, Turn

START = "START"


def read_sessions(data: bytes) -> list[Dialogue]:
    rows = [json.loads(line) for line in data.decode().splitlines()]
    return [
        Dialogue(
            id=f"session-{number}",
            turns=_turns(row["conversation"]),
            knowledge=_facts(row["knowledge"]),
            goal=_goal(row["goal"]),
            source=row,
        )
        for number, row in enumerate(rows)
    ]


def write_sessions(dialogues: list[Dialogue]) -> bytes:
    rows = [
        {
            "goal": _goal_rows(dialogue.goal),
            "knowledge": _rows(dialogue.knowledge),
            "conversation": [turn.text for turn in dialogue.turns],
        }
        for dialogue in dialogues
    ]
    return _lines(json.dumps(row, ensure_ascii=False) for row in rows)


def read_samples(data: bytes) -> list[Example]:
    rows = [json.loads(line) for line in data.decode().splitlines()]
    return [
        Example(
            sample=Sample(
                id=f"sample-{number}",
                dialogue_id=f"sample-{number}",
                history=_turns(row["history"]),
                knowledge=_facts(row["knowledge"]),
                goal=_goal(row["goal"]),
            ),
            references=(Answer(text=row["response"]),) if "response" in row else (),
        )
        for number, row in enumerate(rows)
    ]


def write_samples(examples: list[Example]) -> bytes:
    return _lines(json.dumps(_sample_row(example), ensure_ascii=False) for example in examples)


def _sample_row(example: Example) -> dict[str, Any]:
    row: dict[str, Any] = {
        "goal": _goal_rows(example.sample.goal),
        "knowledge": _rows(example.sample.knowledge),
        "history": [turn.text for turn in example.sample.history],
    }
    if example.references:
        row["response"] = example.references[0].text
    return row


def read_predictions(data: bytes) -> list[Answer]:
    return [Answer(text=line) for line in data.decode().splitlines()]


def write_predictions(answers: list[Answer]) -> bytes:
    return _lines(str(answer.text) for answer in answers)


def _turns(texts: list[str]) -> tuple[Turn, ...]:
    return tuple(Turn(speaker=("system", "user")[at % 2], text=text) for at, text in enumerate(texts))


def _facts(rows: list[list[str]]) -> tuple[Fact, ...]:
    return tuple(Fact(subject=subject, relation=relation, object=value) for subject, relation, value in rows)


def _rows(facts: tuple[Fact, ...]) -> list[list[Any]]:
    return [[fact.subject, fact.relation, fact.object] for fact in facts]


def _goal(rows: list[list[str]]) -> Goal:
    start, *relations = rows
    assert start[0] == START
    return Goal(topics=(start[1], start[2]), relations=_facts(relations))


def _goal_rows(goal: Goal | None) -> list[list[Any]]:
    assert goal is not None
    return [[START, *goal.topics], *_rows(goal.relations)]


def _lines(lines: Any) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
