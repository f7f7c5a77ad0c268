from __future__ import annotations

import threading
import time
import weakref
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextvars import copy_context
from typing import TYPE_CHECKING

import pytest
from tests.run.test_usage import Metered

from duologue.core.errors import PlugInError
from duologue.core.protocols import TaskInfo
from duologue.core.records import Answer, Record, Sample
from duologue.run.system_worker import GIVEN_UP, SystemWorker, _Job

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import World

INFO = TaskInfo(name="talk", version="1", language="en", answers="text")


class Parrot:
    """Says the id of a sample; waits at `wait`, fails at `boom`, and counts its batches and threads."""

    Recipe: type[Record] = Record
    seen = "nothing"

    def __init__(self, recipe: Record | None = None) -> None:
        self.batches: list[int] = []
        self.threads: set[int] = set()
        self.entered, self.let_go = threading.Event(), threading.Event()

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        self.threads.add(threading.get_ident())
        if seed == 13:
            raise ValueError("an unlucky seed")

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        self.threads.add(threading.get_ident())
        names = [sample.id for sample in samples]
        self.batches.append(len(names))
        if "wait" in names:
            self.entered.set()
            assert self.let_go.wait(10)
        if "boom" in names:
            raise RuntimeError("on purpose")
        return [Answer(text=name) for name in names if name != "nothing"]


def sample(name: str) -> Sample:
    return Sample(id=name, dialogue_id=name)


def test_what_comes_while_the_system_answers_is_its_next_batch() -> None:
    parrot = Parrot()
    worker = SystemWorker(parrot)
    worker.prepare(INFO, 1, {})
    with ThreadPoolExecutor(64) as clients:
        first = clients.submit(worker.answer, [sample("wait")])
        assert parrot.entered.wait(10)
        names = [str(number) for number in range(50)]
        waiting = [clients.submit(worker.answer, [sample(name)]) for name in names]
        while worker._jobs.qsize() < 50:
            pass
        parrot.let_go.set()
        assert [one.result(10)[0].text for one in waiting] == names
        assert first.result(10) == [Answer(text="wait")]
    assert parrot.batches == [1, 32, 18]
    assert len(parrot.threads) == 1
    assert parrot.threads != {threading.get_ident()}


def test_one_sample_spoils_no_others_answer() -> None:
    parrot = Parrot()
    worker = SystemWorker(parrot)
    with ThreadPoolExecutor(8) as clients:
        first = clients.submit(worker.answer, [sample("wait")])
        assert parrot.entered.wait(10)
        found = {name: clients.submit(worker.answer, [sample(name)]) for name in ("a", "boom", "nothing", "b")}
        while worker._jobs.qsize() < 4:
            pass
        parrot.let_go.set()
        assert first.result(10)
        assert [found[name].result(10)[0].text for name in "ab"] == ["a", "b"]
        with pytest.raises(RuntimeError, match="on purpose"):
            found["boom"].result(10)
        with pytest.raises(PlugInError, match="Parrot returned 0 answers for 1 sample; "):
            found["nothing"].result(10)


def test_what_nobody_waits_for_any_more_is_not_answered() -> None:
    parrot = Parrot()
    worker = SystemWorker(parrot)
    gone = threading.Event()

    def ask_and_leave() -> list[Answer]:
        GIVEN_UP.set(gone)
        return worker.answer([sample("late")])

    with ThreadPoolExecutor(2) as clients:
        first = clients.submit(worker.answer, [sample("wait")])
        assert parrot.entered.wait(10)
        late = clients.submit(copy_context().run, ask_and_leave)
        while worker._jobs.qsize() < 1:
            pass
        gone.set()
        parrot.let_go.set()
        assert first.result(10)
        with pytest.raises(CancelledError):
            late.result(10)
    assert parrot.batches == [1]


def test_accounts_that_nobody_will_ask_for_are_not_kept() -> None:
    metered = Metered()
    worker = SystemWorker(metered)
    for number in range(3):
        assert worker.answer([sample(str(number))]) == [Answer(text=str(number))]
        assert metered.accounts == []


def test_a_system_that_cannot_be_prepared_says_so_to_whoever_asked() -> None:
    worker = SystemWorker(Parrot())
    with pytest.raises(ValueError, match="an unlucky seed"):
        worker.prepare(INFO, 13, {})
    assert worker.answer([sample("x")]) == [Answer(text="x")]
    assert (worker.seen, worker.Recipe) == ("nothing", Record)


def test_a_system_is_let_go_in_its_thread_when_all_that_waits_is_done() -> None:
    parrot = Parrot()
    ended = weakref.ref(parrot)
    worker = SystemWorker(parrot)
    entered, let_go = parrot.entered, parrot.let_go
    del parrot
    with ThreadPoolExecutor(2) as clients:
        first = clients.submit(worker.answer, [sample("wait")])
        assert entered.wait(10)
        second = clients.submit(worker.answer, [sample("a")])
        until = time.monotonic() + 10
        while worker._jobs.empty() and time.monotonic() < until:
            time.sleep(0.01)
        worker.close()
        worker.close()
        let_go.set()
        assert [one.result(10)[0].text for one in (first, second)] == ["wait", "a"]
    while ended() is not None and time.monotonic() < until:
        time.sleep(0.01)
    assert ended() is None
    with pytest.raises(RuntimeError, match="not at hand"):
        worker.answer([sample("b")])


def test_its_thread_keeps_no_program_from_ending() -> None:
    known = set(threading.enumerate())
    worker = SystemWorker(Parrot())
    (thread,) = set(threading.enumerate()) - known
    assert (thread.daemon, thread.name) == (True, "duologue-system")
    assert worker.seen == "nothing"


def test_calls_are_made_between_the_answers_before_and_after_them() -> None:
    parrot, made = Parrot(), list[int]()
    worker = SystemWorker(parrot)
    with ThreadPoolExecutor(8) as clients:
        first = clients.submit(worker.answer, [sample("wait")])
        assert parrot.entered.wait(10)
        worker._jobs.put(before := _Job([sample("before")]))
        worker.post(lambda: made.append(len(parrot.batches)))
        worker._jobs.put(between := _Job([sample("between")]))
        worker._jobs.put(prepared := _Job((), lambda: made.append(len(parrot.batches))))
        worker._jobs.put(after := _Job([sample("after")]))
        parrot.let_go.set()
        assert [one.done.result(5)[0].text for one in (before, between, after)] == ["before", "between", "after"]
        assert first.result(5) == [Answer(text="wait")]
        assert prepared.done.done()
    assert (made, parrot.batches) == ([2, 3], [1, 1, 1, 1])
