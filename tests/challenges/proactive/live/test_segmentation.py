from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.live.segmentation import joined, segmented, segmented_sample
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.errors import RequestError
from duologue.core.records import Answer, Fact, Goal, Record, Sample, Turn

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.mark.parametrize(
    ("text", "expected"),
    [("看 过 Batman Begins 吗 ？", "看过Batman Begins吗？"), ("180 cm", "180 cm"), ("《 海 》", "《海》"), ("", "")],
)
def test_words_are_put_together_as_people_write(text: str, expected: str) -> None:
    assert joined(text) == expected


def test_text_that_is_cut_stays_as_it_is() -> None:
    assert segmented(" 我 喜欢  看 电影 ", ["喜欢看"]) == "我 喜欢 看 电影"


def test_names_are_cut_as_in_the_knowledge_the_longest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", None)  # as where it is not installed
    assert segmented("海边的信好看吗？", ["海 边", "海 边 的 信", "看"]) == "海 边 的 信 好 看 吗 ？"
    assert segmented("海边" * 3000, ["海 边"]) == " ".join(["海 边"] * 3000)
    assert segmented("it's 3.5 or Batman2", []) == "it's 3.5 or Batman 2"


def test_a_segmenter_cuts_the_rest_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", SimpleNamespace(cut=lambda text: [text[:2], text[2:]]))
    assert segmented("喜欢海边电影", ["海 边"]) == "喜欢 海 边 电影"


def test_the_real_segmenter_cuts_into_words() -> None:
    pytest.importorskip("rjieba")
    assert segmented("我喜欢看电影", []) == "我 喜欢 看 电影"


@given(st.text(st.characters(codec="utf-8"), max_size=20), st.lists(st.text(max_size=4), max_size=3))
def test_cutting_only_adds_or_takes_away_spaces(text: str, names: list[str]) -> None:
    assert "".join(segmented(text, names).split()) == "".join(text.split())


def test_a_request_is_segmented_where_a_person_typed_it_and_needs_a_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Echo:
        Recipe = Record
        seen = ""

        def prepare(self, *_: object) -> None: ...

        def answer(self, samples: Sequence[Sample]) -> list[Answer]:
            return [Answer(text=sample.history[-1].text) for sample in samples]

    monkeypatch.setitem(sys.modules, "rjieba", None)
    fact = Fact(subject="海 边 的 信", relation="导演", object="沈 一帆")
    turns = (Turn(speaker="user", text="沈一帆拍的？"),)
    sample = Sample(
        id="x", dialogue_id="d", history=turns, knowledge=(fact,), goal=Goal(topics=("海 边 的 信", "沈 一帆"))
    )
    assert segmented_sample(sample).history[0].text == "沈 一帆 拍 的 ？"
    task = ProactiveTask()
    assert task.answer_request(Echo(), sample, None, seed=1, typed=True).text == "沈一帆拍的？"
    assert task.answer_request(Echo(), sample, None, seed=1, typed=False).text == "沈一帆拍的？"
    with pytest.raises(RequestError, match='give "goal"'):
        task.answer_request(Echo(), Sample(id="x", dialogue_id="d"), None, seed=1, typed=True)
