from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.core.errors import PlugInError, RequestError
from duologue.core.plugins import load_task
from duologue.core.records import Answer, Record
from duologue.run.system_worker import BATCH
from duologue.web.answer_batches import AnswerBatches
from duologue.web.chat_form import read_request
from duologue.web.errors import ApiError
from duologue.web.served import prepared

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Sample
    from duologue.web.chat_form import ChatRequest
    from duologue.web.completions import Completion


class Parrot:
    """Says what was said last; waits at `wait`, fails at `boom`, leaves at `exit`, and notes its batches."""

    Recipe: type[Record] = Record
    seen = "nothing"

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.entered, self.let_go = threading.Event(), threading.Event()

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Nothing is needed."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        said = [sample.history[-1].text for sample in samples]
        self.batches.append(said)
        if "wait" in said:
            self.entered.set()
            assert self.let_go.wait(10)
        if "boom" in said:
            raise RuntimeError("on purpose")
        if "exit" in said:
            raise SystemExit
        return [Answer(text=one) for one in said]


def request(said: str, **more: object) -> ChatRequest:
    asked = {"model": "x", "messages": [{"role": "user", "content": said}], **more}
    return read_request(msgspec.json.encode(asked))


async def behind_one_that_waits(
    parrot: Parrot, requests: Sequence[ChatRequest], leaving: Sequence[int] = ()
) -> list[Completion | BaseException]:
    """What is found for requests that come while the parrot waits; some of those who ask have left by then."""
    served = prepared("x", load_task("conversation"), parrot, None, seed=1)
    assert served.worker is not None
    batches = AnswerBatches(served, served.worker)
    first = batches.submit(request("wait"))
    assert await asyncio.to_thread(parrot.entered.wait, 10)
    waiting = [batches.submit(one) for one in requests]
    for number in leaving:
        waiting[number].cancel()
    parrot.let_go.set()
    assert (await first).answer == Answer(text="wait")
    return await asyncio.gather(*waiting, return_exceptions=True)


def text_of(found: Completion | BaseException) -> str:
    assert not isinstance(found, BaseException), found
    return found.choices[0].text


def test_what_comes_while_the_system_answers_is_its_next_batch_and_each_gets_its_own_answer() -> None:
    parrot = Parrot()
    said = [f"line {number}" for number in range(BATCH + 9)]
    found = asyncio.run(behind_one_that_waits(parrot, [request(one) for one in said]))
    assert [text_of(one) for one in found] == said
    assert parrot.batches == [["wait"], said[:BATCH], said[BATCH:]]


def test_what_the_loop_has_read_at_once_is_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    parrot, said = Parrot(), [f"line {number}" for number in range(2 * BATCH + 1)]
    served = prepared("x", load_task("conversation"), parrot, None, seed=1)
    assert served.worker is not None
    batches, post, calls = AnswerBatches(served, served.worker), served.worker.post, list[object]()

    def counted(call: Callable[[], None]) -> None:
        calls.append(call)
        post(call)

    monkeypatch.setattr(served.worker, "post", counted)

    async def asked() -> list[Completion]:
        found = await asyncio.gather(*(batches.submit(request(one)) for one in said))
        return [*found, await batches.submit(request("later"))]

    assert [text_of(one) for one in asyncio.run(asked())] == [*said, "later"]
    assert parrot.batches == [said[:BATCH], said[BATCH : 2 * BATCH], said[2 * BATCH :], ["later"]]
    assert len(calls) == len(parrot.batches)


def test_what_one_request_does_wrong_spoils_no_others_answer() -> None:
    parrot = Parrot()
    requests = [
        request("one"),
        request("boom"),
        request("two", n=3),
        request("three", metadata={"world": "x"}),
        request("exit"),
        request("four"),
    ]
    one, boom, many, world, left, four = asyncio.run(behind_one_that_waits(parrot, requests))
    assert (text_of(one), text_of(four)) == ("one", "four")
    assert isinstance(boom, RuntimeError)
    assert isinstance(many, ApiError)
    assert isinstance(world, ApiError)
    assert isinstance(left, PlugInError)
    assert str(left) == "Parrot called sys.exit(None); a system must return or raise an error"


def test_whoever_has_left_is_not_answered() -> None:
    parrot = Parrot()
    found = asyncio.run(behind_one_that_waits(parrot, [request("one"), request("two")], leaving=[0]))
    assert isinstance(found[0], asyncio.CancelledError)
    assert text_of(found[1]) == "two"
    assert parrot.batches == [["wait"], ["two"]]


def test_a_sample_that_lacks_what_the_task_needs_is_told_so_and_a_task_with_a_way_of_its_own_has_no_batches() -> None:
    goal = {"topics": ["A", "B"]}
    parrot = Parrot()
    served = prepared("x", load_task("proactive"), parrot, None, seed=1)
    assert served.worker is not None
    batches = AnswerBatches(served, served.worker)

    async def ask(one: ChatRequest) -> Completion:
        return await batches.submit(one)

    with pytest.raises(RequestError, match='give "goal"'):
        asyncio.run(ask(request("hello")))
    assert text_of(asyncio.run(ask(request("hello", metadata={"goal": goal})))) == "hello"
    assert prepared("x", load_task("restaurant"), parrot, None, seed=1).worker is None
