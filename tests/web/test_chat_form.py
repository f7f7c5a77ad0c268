from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

import msgspec
import pytest

from duologue.core.protocols import TaskInfo
from duologue.core.records import Candidate, Fact, Goal, Sample, Turn
from duologue.systems.bot import request_of
from duologue.web.chat_form import Asked, asked_of, read_request
from duologue.web.errors import ApiError

HELLO = {"role": "user", "content": "hello"}
INFO = TaskInfo(name="talk", version="1", language="en", answers="text")


def read(*messages: dict[str, Any], world: str | None = None, **more: Any) -> Asked:
    body = json.dumps({"model": "m", "messages": messages, **more}, ensure_ascii=False).encode()
    return asked_of(read_request(body), world)


def refused(*messages: dict[str, Any], **more: Any) -> str:
    with pytest.raises(ApiError) as told:
        read(*messages, **more)
    assert told.value.status == HTTPStatus.BAD_REQUEST
    assert json.loads(told.value.body)["error"]["message"] == str(told.value)
    return str(told.value)


def test_messages_are_turns_as_people_type_them() -> None:
    parts = [{"type": "text", "text": "a\tta"}, {"type": "text", "text": "ble\nfor two "}]
    sample, typed = read(
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": parts},
        {"role": "assistant", "content": "api_call x"},
        {"role": "tool", "content": "a r_phone 1\n\na r_address 2\n", "tool_call_id": "1"},
        world="kb",
        temperature=0.5,
    )
    assert typed
    assert sample.world == "kb"
    assert [(turn.speaker, turn.text) for turn in sample.history] == [
        ("user", "a table for two"),
        ("system", "api_call x"),
        ("api", "a r_phone 1"),
        ("api", "a r_address 2"),
    ]


@pytest.mark.parametrize("form", ["objects", "texts"])
def test_what_a_dialogue_is_about_stands_in_metadata_or_in_a_system_message(form: str) -> None:
    about: dict[str, Any] = {
        "goal": {"topics": ["A", "B"]},
        "knowledge": [["A", "director", "B"], {"subject": "A", "relation": "year", "object": 1999}],
        "candidates": ["yes", "no"],
    }
    spelled = {name: json.dumps(value) for name, value in about.items()} if form == "texts" else about
    in_metadata = read(HELLO, metadata={**spelled, "user": "anybody's own"})
    assert read({"role": "system", "content": json.dumps(about)}, HELLO) == in_metadata
    sample = in_metadata.sample
    assert sample.goal == Goal(topics=("A", "B"))
    assert [fact.object for fact in sample.knowledge] == ["B", 1999]
    assert sample.candidates == (Candidate(id="1", text="yes"), Candidate(id="2", text="no"))


def test_the_request_that_an_own_bot_gets_is_the_same_sample_again() -> None:
    sample = Sample(
        id="d#3",
        dialogue_id="d",
        history=(Turn(speaker="user", text="看 过 吗", meta={"x": 1}), Turn(speaker="api", text="a b c")),
        knowledge=(Fact(subject="a", relation="b", object="c"),),
        world="kb",
        candidates=(Candidate(id="7", text="x"),),
    )
    request = request_of(sample, INFO, 1).decode()
    assert read({"role": "system", "content": request}, world="kb") == (sample, False)
    assert read(metadata=msgspec.to_builtins(sample), world="kb") == (sample, False)


def test_equal_requests_are_equal_samples_and_others_are_not() -> None:
    assert read(HELLO) == read(HELLO)
    answered = read(HELLO, {"role": "assistant", "content": "hi"}, HELLO).sample
    assert answered.id != read(HELLO).sample.id
    assert answered.dialogue_id == read(HELLO).sample.dialogue_id
    assert read(HELLO, metadata={"id": "x"}).sample.id == "x"
    other = read(HELLO, metadata={"candidates": ["a"]}).sample
    assert (other.id == read(HELLO).sample.id, other.dialogue_id) == (False, read(HELLO).sample.dialogue_id)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"metadata": {"goal": "{"}}, "metadata.goal cannot be read"),
        ({"metadata": {"goal": {"topic": "A"}}}, "unknown field 'topic'"),
        ({"metadata": {"knowledge": [["a", "b"]]}}, "length 3"),
        ({"metadata": {"candidates": [{"id": "1", "text": "a"}, "b", {"id": "2", "text": "c"}]}}, "one id"),
        ({"metadata": {"history": [{"speaker": "user", "text": "a"}]}}, "not as both"),
        ({"metadata": {"world": "/etc/passwd"}}, "no knowledge base '/etc/passwd' here"),
        ({"n": 0}, "'n' is a number from 1"),
        ({"stop": ""}, "'stop'"),
        ({"max_tokens": 0}, "at least 1"),
        ({"tools": [{"type": "function"}]}, "'tools' is not supported"),
        ({"tools": [{"type": "function"}], "tool_choice": "auto"}, "'tools' is not supported"),
        ({"tool_choice": "required"}, "'tool_choice' is not supported"),
        ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, "'tool_choice' is not supported"),
        ({"functions": [{"name": "f"}]}, "'functions' is not supported"),
        ({"function_call": {"name": "f"}}, "'function_call' is not supported"),
        ({"logprobs": True}, "'logprobs' is not supported"),
        ({"top_logprobs": 5}, "'top_logprobs' is not supported"),
        ({"modalities": ["text", "audio"]}, "'modalities' is not supported"),
        ({"response_format": {"type": "json_object"}}, "'response_format' is 'text'"),
        ({"stream": "yes"}, "Expected 'bool | null', got 'str'"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_a_reason(more: dict[str, Any], said: str) -> None:
    assert said in refused(HELLO, **more)


def test_what_is_null_or_asks_for_nothing_is_passed_over() -> None:
    tools = [{"type": "function", "function": {"name": "f"}}]
    for more in (
        {"tools": tools, "tool_choice": "none"},
        {"tools": [], "tool_choice": "auto"},
        {"functions": [{"name": "f"}], "function_call": "none"},
        {"modalities": ["text"], "top_logprobs": 0, "logprobs": False},
    ):
        assert read(HELLO, **more) == read(HELLO)
    body = {"model": "m", "messages": [HELLO], "stream": None, "stream_options": {"include_usage": None}}
    assert not read_request(json.dumps(body).encode()).stream


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"n": "1"}, "n"),
        ({"stop": [1]}, "stop[0]"),
        ({"messages": [HELLO, {"role": "bot"}]}, "messages[1].role"),
        ({"metadata": {"candidates": "x"}}, "metadata.candidates"),
        ({"metadata": {"candidates": ["x"] * 1001}}, "metadata.candidates"),
        ({"metadata": {"goal": "{"}}, "metadata.goal"),
        ({"model": None}, "model"),
    ],
)
def test_an_error_names_the_entry_that_is_wrong(body: dict[str, Any], param: str) -> None:
    with pytest.raises(ApiError) as found:
        asked_of(read_request(json.dumps({"model": "m", "messages": [HELLO], **body}).encode()), None)
    assert json.loads(found.value.body)["error"]["param"] == param


def test_more_candidates_than_are_chosen_from_are_refused_with_the_limit() -> None:
    asked = read(HELLO, metadata={"candidates": ["x"] * 1000})
    assert len(asked.sample.candidates) == 1000
    for form in (["x"] * 1001, json.dumps(["x"] * 1001)):
        assert "1,001 candidates are given; at most 1,000 are chosen from" in refused(
            HELLO, metadata={"candidates": form}
        )


def test_messages_that_are_none_are_refused() -> None:
    assert "Only parts of type 'text'" in refused({"role": "user", "content": [{"type": "image_url"}]})
    assert "Invalid enum value 'bot'" in refused({"role": "bot", "content": "x"})
    assert "an entry 'golf'" in refused({"role": "system", "content": '{"golf": 1}'}, HELLO)
    assert "speaker 'bot'" in refused(metadata={"history": [{"speaker": "bot", "text": "x"}]})
    for body in (b"", b"no JSON", b"\xff", b"[]", b"{}", b"[" * 100_000, b'{"model": "m", "messages": ["\\ud800"]}'):
        with pytest.raises(ApiError, match="The body cannot be read"):
            read_request(body)
