"""One thread for each system: requests that come together are answered together.

Systems need not be thread-safe, and libraries may bind what they open to a thread: everything that a served system
does, it does in this one. While it answers, other requests gather; they are its next batch.
"""

from __future__ import annotations

import queue
import threading
from concurrent.futures import CancelledError, Future
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from duologue.core.system_answers import answers_of
from duologue.run.usage import forget_accounts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duologue.core.protocols import System, TaskInfo, World
    from duologue.core.records import Answer, Record, Sample

Found = TypeVar("Found")

BATCH = 32
"""Samples that a system is given at once, at most, where they come in single requests."""

GIVEN_UP: ContextVar[threading.Event | None] = ContextVar("GIVEN_UP", default=None)
"""Set by whoever asks: an event that says that nobody waits for the answer any more."""


class _Job:
    """What the thread is to do, and for whom."""

    def __init__(self, samples: Sequence[Sample], call: Callable[[], None] | None = None) -> None:
        self.samples, self.call = samples, call
        self.done: Future[list[Answer]] = Future()
        self.given_up = GIVEN_UP.get()

    @property
    def wanted(self) -> bool:
        return self.given_up is None or not self.given_up.is_set()


class SystemWorker:
    """A system as many threads may call it; its own thread does the work."""

    def __init__(self, system: System) -> None:
        self._system: System | None = system
        self._gate = threading.Lock()
        self._closed = False
        self.Recipe: type[Record] = system.Recipe
        self.seen = system.seen
        self._jobs: queue.SimpleQueue[_Job | Callable[[], None]] = queue.SimpleQueue()
        self._put_off: _Job | Callable[[], None] | None = None
        threading.Thread(target=self._work, daemon=True, name="duologue-system").start()

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Prepare the system; returns when it is."""
        self._wait(_Job((), lambda: self._own().prepare(info, seed, worlds)))

    def post(self, call: Callable[[], None]) -> None:
        """Have a call made in the system's thread, after what waits; nobody waits for it, and it raises nothing."""
        self._jobs.put(call)

    def answer_directly(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return the answers, for a call of `post`, which is in the system's thread. Raises what the system does."""
        system = self._own()
        try:
            return answers_of(system, samples)
        finally:
            forget_accounts(system)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return the answers. Raises what the system does, and `CancelledError` where `GIVEN_UP` comes first."""
        return self._wait(_Job(samples))

    def run(self, call: Callable[[], Found]) -> Found:
        """Return what a call gives that must be made in the system's thread. Raises what it raises."""
        found: list[Found] = []
        self._wait(_Job((), lambda: found.append(call())))
        return found[0]

    def close(self) -> None:
        """Let go of the system and of the thread when all that waits is done; whoever asks later gets an error."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._jobs.put(self._let_go)

    def _let_go(self) -> None:
        self._system = None  # in its thread, as all that it does: a program that it runs ends with it

    def _own(self) -> System:
        assert self._system is not None, "nothing comes after the end"
        return self._system

    def _wait(self, job: _Job) -> list[Answer]:
        with self._gate:
            if self._closed:
                raise RuntimeError("the system is not at hand any more")
            self._jobs.put(job)
        return job.done.result()

    def _work(self) -> None:
        while self._system is not None:
            first = self._put_off or self._jobs.get()
            self._put_off = None
            if not isinstance(first, _Job):
                first()
            elif not first.wanted:
                first.done.set_exception(CancelledError())
            elif first.call is not None:
                _do(first, first.call)
            else:
                self._answer([first, *self._more(len(first.samples))])

    def _more(self, count: int) -> list[_Job]:
        """Return what waits and goes into the same batch."""
        found: list[_Job] = []
        while True:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return found
            if not isinstance(job, _Job) or job.call is not None or count + len(job.samples) > BATCH:
                self._put_off = job
                return found
            count += len(job.samples)
            if job.wanted:
                found.append(job)
            else:
                job.done.set_exception(CancelledError())

    def _answer(self, jobs: list[_Job]) -> None:
        """Answer jobs together; where that fails, each by itself, so that one sample spoils no other's answer."""
        samples = [sample for job in jobs for sample in job.samples]
        try:
            answers = self.answer_directly(samples)
        except BaseException as error:  # noqa: BLE001  # a system may fail in any way; it is told to whoever asked
            if len(jobs) == 1:
                jobs[0].done.set_exception(error)
                return
            for job in jobs:
                self._answer([job])
            return
        for job in jobs:
            job.done.set_result(answers[: len(job.samples)])
            answers = answers[len(job.samples) :]


def _do(job: _Job, call: Callable[[], None]) -> None:
    try:
        call()
    except BaseException as error:  # noqa: BLE001  # the same
        job.done.set_exception(error)
    else:
        job.done.set_result([])
