from __future__ import annotations

import json
from typing import Any

import pytest

from duologue.core.errors import BotError
from duologue.core.plugins import load_task, names
from duologue.core.protocols import TaskInfo
from duologue.core.records import Act, Answer, Candidate, Fact, Goal, Mention, Sample, Span, Turn, Value
from duologue.systems.bot import answer_of, example_of, request_of

SAMPLE = Sample(
    id="s\n1",
    dialogue_id="d",
    history=(Turn(speaker="user", text="你好\n"),),
    knowledge=(Fact(subject="a", relation="b", object=3),),
    goal=Goal(topics=("x", "y")),
    candidates=(Candidate(id="1", text="one"), Candidate(id="2", text="two")),
)
SPAN = {"turn": 0, "start": 0, "end": 1}


def info(answers: str) -> TaskInfo:
    return TaskInfo(name="task", version="1", language="zh", answers=answers)


def answered(answers: str, **parts: Any) -> Answer:
    body = json.dumps({"id": SAMPLE.id, **parts}).encode()
    return answer_of(body, SAMPLE, info(answers), "the bot")


def test_a_request_is_one_line_with_all_that_a_system_may_see() -> None:
    line = request_of(SAMPLE, info("facts+text"), 7)
    assert b"\n" not in line
    asked = json.loads(line)
    assert (asked["protocol"], asked["task"], asked["language"], asked["seed"]) == (1, "task", "zh", 7)
    assert asked["answer"] == ["facts", "text"]
    assert asked["history"][0]["text"] == "你好\n"
    assert asked["knowledge"] == [{"subject": "a", "relation": "b", "object": 3}]
    assert asked["goal"]["topics"] == ["x", "y"]
    assert asked["world"] is None
    assert [one["id"] for one in asked["candidates"]] == ["1", "2"]
    assert list(asked).index("id") == list(asked).index("seed") + 1  # the guide's shell bot relies on it


def test_the_parts_of_an_answer_are_taken_as_the_records_have_them() -> None:
    assert answered("ranking", ranking=["2", "1"]) == Answer(ranking=("2", "1"))
    assert answered("text", text="") == Answer(text="")
    fact = {"subject": "s", "relation": "r", "object": "o"}
    found = answered("facts+text", text="x", facts=[fact]).annotation
    assert found is not None
    assert found.facts == (Fact(subject="s", relation="r", object="o"),)
    act = {"speaker": "user", "name": "ask", "args": ["a"]}
    found = answered("acts+text", text="x", acts=[act]).annotation
    assert found is not None
    assert found.acts == (Act(speaker="user", name="ask", args=("a",)),)
    mention = {"label": "l", "text": "t", "entity": "e", "span": SPAN}
    value = {"slot": "s", "text": "t", "entity": None, "span": SPAN}
    found = answered("mentions+values", mentions=[mention], values=[value]).annotation
    assert found is not None
    assert found.mentions == (Mention(label="l", text="t", entity="e", span=Span(turn=0, start=0, end=1)),)
    assert found.values == (Value(slot="s", text="t", span=Span(turn=0, start=0, end=1)),)
    assert answered("facts+text", text="x", facts=[]).annotation is not None  # none wanted is not none given


@pytest.mark.parametrize(
    ("answers", "parts", "wrong"),
    [
        ("ranking", {}, "it has no ranking"),
        ("facts+text", {}, "it has no facts and no text"),
        ("text", {"text": None}, "it has no text"),
        ("text", {"text": "a\nb"}, "a reply is one line"),
        ("text", {"text": 3}, r"Expected 'str \| null', got 'int' - at '\$.text'"),
        ("text", {"text": "x", "id": "other"}, "the response is to 'other'"),
        ("text", {"text": "x", "sure": 0.5}, "unknown field 'sure'"),
        ("ranking", {"ranking": ["1", "3"]}, "it ranks '3', which is no candidate"),
        ("ranking", {"ranking": ["1", "1"]}, "it ranks a candidate twice"),
        ("ranking", {"ranking": ["1"]}, "it leaves out 1 of 2 candidates"),
        ("acts", {"acts": [{"speaker": "bot", "name": "x"}]}, "an act is of speaker 'bot'"),
        ("mentions", {"mentions": [{"label": "l", "text": "t"}]}, "'t' needs an entity and a span"),
        ("values", {"values": [{"slot": "l", "text": "t"}]}, "'t' needs a span"),
    ],
)
def test_what_is_no_answer_says_what_is_wrong_and_what_was_expected(
    answers: str, parts: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(BotError, match=wrong) as told:
        answered(answers, **parts)
    assert "of task" in str(told.value)
    assert f"expected: {example_of(info(answers))}" in str(told.value)
    assert "it said:" in str(told.value)


@pytest.mark.parametrize("body", [b"", b"not json", b"\xff\xfe", b"[" * 100_000, b'{"id": "\\ud800"}', b"[]"])
def test_what_is_no_object_is_a_clear_message(body: bytes) -> None:
    with pytest.raises(BotError, match="gave no answer to sample"):
        answer_of(body, SAMPLE, info("text"), "the bot")


@pytest.mark.parametrize("task", names("tasks"))
def test_every_task_can_be_answered(task: str) -> None:
    known = {"ranking", "text", "facts", "acts", "mentions", "values"}
    assert set(load_task(task).info.answers.split("+")) <= known
