from __future__ import annotations

from typing import Any

import pytest

from duologue.endpoints.completion import completion_of, error_in


def body(**choice: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop", **choice}]}


def test_words_usage_and_logprobs_are_read() -> None:
    told = {"content": [{"top_logprobs": [{"token": " A", "logprob": -0.5}, {"token": 7, "logprob": 0}, None]}]}
    found = completion_of({**body(logprobs=told), "usage": {"prompt_tokens": 9, "completion_tokens": 2}}, 30, 12.3456)
    assert found is not None
    assert (found.text, found.finish, found.prompt_tokens, found.completion_tokens) == ("hi", "stop", 9, 2)
    assert (found.told, found.first, found.milliseconds) == (True, [(" A", -0.5)], 12.346)


@pytest.mark.parametrize(
    "odd",
    [10**400, -(10**400), float("-inf"), float("nan"), True, "0", None],
    ids=["large", "-large", "-inf", "nan", "bool", "text", "null"],
)
def test_a_log_probability_that_is_none_is_left_out(odd: Any) -> None:
    listed = [{"token": "A", "logprob": odd}, {"token": "B", "logprob": -1}]
    found = completion_of(body(logprobs={"content": [{"top_logprobs": listed}]}), 3, 0)
    assert found is not None
    assert found.first == [("B", -1.0)]


def test_tokens_that_are_not_told_are_estimated() -> None:
    zeros = {"prompt_tokens": 0, "completion_tokens": 0}
    for usage in (None, {}, zeros, {"prompt_tokens": "9", "completion_tokens": -2}, {"prompt_tokens": True}):
        found = completion_of({**body(message={"content": "x" * 9}), "usage": usage}, 30, 0)
        assert found is not None
        assert (found.prompt_tokens, found.completion_tokens, found.told) == (10, 3, False)


def test_an_answer_of_nothing_has_no_tokens() -> None:
    found = completion_of(
        {**body(message={"content": ""}), "usage": {"prompt_tokens": 9, "completion_tokens": 0}}, 3, 0
    )
    assert found is not None
    assert (found.told, found.completion_tokens) == (True, 0)


def test_an_answer_with_an_error_is_none() -> None:
    for odd in ({**body(), "error": {"message": "gone"}}, body(error={"message": "gone"}), body(error="gone")):
        assert completion_of(odd, 3, 0) is None
        assert error_in(odd) == "gone"
    for fine in ({**body(), "error": None}, body(error={})):
        assert completion_of(fine, 3, 0) is not None
        assert error_in(fine) == ""


def test_a_refusal_says_nothing() -> None:
    found = completion_of(body(message={"content": None, "refusal": "no"}), 3, 0)
    assert found is not None
    assert (found.text, found.refusal) == ("", "no")


def test_a_content_of_parts_is_the_words_of_its_texts() -> None:
    thoughts = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    parts = [thoughts, {"type": "text", "text": "good "}, {"type": "text", "text": "day"}]
    for content, words in ((parts, "good day"), ([thoughts], ""), ([], "")):
        found = completion_of(body(message={"content": content}), 3, 0)
        assert found is not None
        assert found.text == words
    for odd in ([{"text": "x"}], [{"type": "text", "text": 1}], [{"type": "text"}], {"type": "text", "text": "x"}, 7):
        assert completion_of(body(message={"content": odd}), 3, 0) is None


@pytest.mark.parametrize(
    "odd", [None, [], {}, {"choices": []}, {"choices": [1]}, body(message="hi"), body(message={"content": ["hi"]})]
)
def test_what_is_no_completion_is_none(odd: Any) -> None:
    assert completion_of(odd, 3, 0) is None
