"""A system that many talks share, and the answers that a talk has had already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.protocols import TaskInfo
from duologue.core.records import Answer, Record, Sample
from duologue.run.kept_answers import SharedSystem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import World

INFO = TaskInfo(name="echo", version="1", language="en", answers="text")


class Echo:
    """Answers with the sample's name, and notes what it is asked."""

    Recipe, seen = Record, "nothing"

    def __init__(self) -> None:
        self.prepared: list[int] = []
        self.asked: list[str] = []

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        self.prepared.append(seed)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        self.asked += [one.id for one in samples]
        return [Answer(text=f"new {one.id}") for one in samples]


class Traced(Echo):
    """The same, which says how it came to an answer."""

    def trace(self, sample: Sample) -> str:
        return f"thought of {sample.id}"


def samples(names: str) -> list[Sample]:
    return [Sample(id=name, dialogue_id="d") for name in names]


def said(answers: Sequence[Answer]) -> list[str | None]:
    return [one.text for one in answers]


@pytest.fixture
def echo() -> Echo:
    return Echo()


@pytest.fixture
def shared(echo: Echo) -> SharedSystem:
    return SharedSystem(echo)


def test_kept_answers_are_given_in_their_order_before_the_system_is_asked(shared: SharedSystem, echo: Echo) -> None:
    talk = shared.for_talk([Answer(text=f"kept {number}") for number in range(3)])
    talk.prepare(INFO, 7, {})
    assert said(talk.answer(samples("a"))) == ["kept 0"]
    assert said(talk.answer([])) == []
    assert said(talk.answer(samples("bcde"))) == ["kept 1", "kept 2", "new d", "new e"]
    assert said(talk.answer(samples("f"))) == ["new f"]
    assert echo.asked == ["d", "e", "f"]
    assert said(talk.made) == ["new d", "new e", "new f"]


def test_a_talk_of_kept_answers_alone_asks_nothing(shared: SharedSystem, echo: Echo) -> None:
    talk = shared.for_talk([Answer(text="kept")])
    assert said(talk.answer(samples("a"))) == ["kept"]
    assert (echo.asked, talk.made) == ([], [])


def test_talks_share_one_system_that_is_prepared_once_and_keep_their_own_answers(
    shared: SharedSystem, echo: Echo
) -> None:
    one, other = shared.for_talk(), shared.for_talk([Answer(text="kept")])
    for talk in (one, other):
        talk.prepare(INFO, 7, {})
    assert echo.prepared == [1]
    assert said(one.answer(samples("a"))) == ["new a"]
    assert said(other.answer(samples("bc"))) == ["kept", "new c"]
    assert (said(one.made), said(other.made)) == (["new a"], ["new c"])
    assert (one.Recipe, one.seen) == (Record, "nothing")


def test_only_a_system_that_traces_its_answers_has_traces(shared: SharedSystem) -> None:
    assert not hasattr(shared.for_talk(), "trace")
    talk: Any = SharedSystem(Traced()).for_talk()
    talk.prepare(INFO, 7, {})
    assert talk.trace(samples("a")[0]) == "thought of a"
