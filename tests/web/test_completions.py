from __future__ import annotations

import json
from typing import Any

import pytest

from duologue.core.protocols import TaskInfo
from duologue.core.records import Annotation, Answer, Candidate, Mention, Sample
from duologue.web.chat_form import read_request
from duologue.web.completions import Completion, CompletionChoice, completion_of, count_tokens, cut, event
from duologue.web.errors import ApiError

SAMPLE = Sample(id="s", dialogue_id="d", candidates=tuple(Candidate(id=one, text=f"say {one}") for one in "abc"))


def completed(answer: Answer, answers: str = "text", language: str = "en", **more: Any) -> Completion:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "how are you"}], **more}).encode()
    info = TaskInfo(name="t", version="1", language=language, answers=answers)
    return completion_of(answer, SAMPLE, read_request(body), info, name="x", created=7)


def texts(found: Completion) -> list[str]:
    return [choice["message"]["content"] for choice in found.whole()["choices"]]


def test_an_answer_is_its_text_with_usage_in_words_or_characters() -> None:
    found = completed(Answer(text=" we are fine . "))
    assert texts(found) == [" we are fine . "]
    assert found.usage == {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    assert completed(Answer(text="你好 吗"), language="zh").usage["completion_tokens"] == 3
    assert found.whole()["duologue"]["answer"] == Answer(text=" we are fine . ")


def test_of_a_ranking_the_best_candidates_are_the_choices() -> None:
    answer = Answer(ranking=("b", "c", "a"))
    assert texts(completed(answer, "ranking")) == ["say b"]
    assert texts(completed(answer, "ranking", n=3)) == ["say b", "say c", "say a"]
    with pytest.raises(ApiError, match="There are 3 answers"):
        completed(answer, "ranking", n=4)
    with pytest.raises(ApiError, match="There is one answer"):
        completed(Answer(text="x"), n=2)
    with pytest.raises(ApiError, match="Give candidates"):
        completed(Answer(ranking=()), "ranking")


def test_of_a_system_that_also_says_what_it_looked_for_candidates_are_the_choices() -> None:
    answer = Answer(text="what it would say", ranking=("b", "c", "a"))
    assert texts(completed(answer, "ranking", n=2)) == ["say b", "say c"]
    info = TaskInfo(name="t", version="1", language="en", answers="ranking")
    request = read_request(b'{"model": "m", "messages": []}')
    played = completion_of(answer, Sample(id="s", dialogue_id="d"), request, info, name="x", created=7)
    assert texts(played) == ["what it would say"]


def test_what_has_no_text_is_its_annotation_as_json() -> None:
    answer = Answer(annotation=Annotation(mentions=(Mention(label="l", text="t"),)))
    (text,) = texts(completed(answer, "mentions+values"))
    assert json.loads(text)["mentions"][0]["text"] == "t"
    assert json.loads(text)["values"] == []
    assert texts(completed(Answer())) == [""]


@pytest.mark.parametrize(
    ("stops", "most", "expected"),
    [
        ([], None, ("one two  three", "stop")),
        (["two"], None, ("one ", "stop")),
        (["three", "two"], 9, ("one ", "stop")),
        (["x"], 3, ("one two  three", "stop")),
        ([], 2, ("one two", "length")),
        (["two"], 1, ("one ", "stop")),
    ],
)
def test_stops_and_a_number_of_tokens_cut_a_text(stops: list[str], most: int | None, expected: tuple[str, str]) -> None:
    assert cut("one two  three", stops, most, "en") == CompletionChoice(*expected)


def test_chinese_is_cut_by_characters_and_other_languages_by_words() -> None:
    assert cut("你 好吗", [], 2, "zh") == ("你 好", "length")
    assert cut("你 好吗", [], 2, "xx") == ("你 好吗", "stop")
    assert count_tokens("", "zh") == count_tokens(" ", "en") == 0


@pytest.mark.parametrize("text", ["", " ", "a", " a  b c ", "\n a", "a b " * 7_001])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_chunks_of_a_stream_together_are_the_answer(text: str, language: str) -> None:
    found = completed(Answer(text=text), language=language)
    chunks = list(found.chunks(with_usage=True))
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks[:-1]]
    assert deltas[0] == {"role": "assistant", "content": ""}
    assert "".join(delta.get("content", "") for delta in deltas) == text
    assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
    assert chunks[-2]["duologue"]["answer"] == Answer(text=text)
    assert (chunks[-1]["choices"], chunks[-1]["usage"]) == ([], found.usage)
    assert all(chunk["usage"] is None for chunk in chunks[:-1])
    assert len(chunks) < 1_010, "a client takes a millisecond for each"
    assert [chunk for chunk in found.chunks(with_usage=False) if "usage" in chunk] == []
    assert json.loads(event(chunks[0]).removeprefix(b"data: "))["object"] == "chat.completion.chunk"
