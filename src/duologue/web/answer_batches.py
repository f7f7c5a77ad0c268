"""Requests to one system that come together are answered together, by one call in the system's thread."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from duologue.run.system_worker import BATCH
from duologue.web.chat_form import asked_of
from duologue.web.completions import completion_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.core.records import Answer, Sample
    from duologue.run.system_worker import SystemWorker
    from duologue.web.chat_form import ChatRequest
    from duologue.web.completions import Completion
    from duologue.web.served import ServedSystem

    Found = Completion | Exception
    Waiting = tuple[ChatRequest, asyncio.Future[Completion]]


Made = TypeVar("Made")


class _Ready(NamedTuple):
    """A request with the sample that it asks, and as the system is asked it."""

    request: ChatRequest
    sample: Sample
    asked: Sample
    typed: bool


class AnswerBatches:
    """Answers the requests to a system; while it answers some, others gather and are its next batch.

    Nobody waits for a batch to fill: a request that comes alone is answered alone, and at once. Everything but the
    passing on is done in the system's thread, so that a long request never holds up those to other systems.
    """

    def __init__(self, served: ServedSystem, worker: SystemWorker) -> None:
        self._served, self._worker = served, worker
        self._waiting: deque[Waiting] = deque()
        self._posted = False
        """Whether a call that answers is on its way."""

    def submit(self, request: ChatRequest) -> asyncio.Future[Completion]:
        """Return the completion to come; whoever cancels it takes the request out of the queue."""
        loop = asyncio.get_running_loop()
        made: asyncio.Future[Completion] = loop.create_future()
        self._waiting.append((request, made))
        if not self._posted:  # else it is answered with those who came before
            self._posted = True
            loop.call_soon(self._worker.post, self._answer)  # after the others that the loop has read at once
        return made

    def _answer(self) -> None:
        """Answer what waits, at most `BATCH` requests; where more do, they are the next call."""
        self._posted = False  # first of all: whoever comes from now on may be missed here, and posts a call
        batch: list[Waiting] = []
        while self._waiting and len(batch) < BATCH:
            one = self._waiting.popleft()
            if not one[1].done():  # else nobody waits for it
                batch.append(one)
        if self._waiting:
            self._worker.post(self._answer)
        if batch:
            found = self._found([request for request, _ in batch])
            with suppress(RuntimeError):  # the server has stopped
                batch[0][1].get_loop().call_soon_threadsafe(_settle, [made for _, made in batch], found)

    def _found(self, requests: Sequence[ChatRequest]) -> list[Found]:
        """Return completions, or why there is none; what one request does wrong spoils no other's."""
        try:
            return self._together(requests)
        except BaseException as error:  # noqa: BLE001  # a system may fail in any way; it is told to whoever asked
            if len(requests) > 1:
                return [self._found([one])[0] for one in requests]
            return [error if isinstance(error, Exception) else _told(error)]

    def _together(self, requests: Sequence[ChatRequest]) -> list[Found]:
        ready = [self._ready(request) for request in requests]
        asked = [one.asked for one in ready if isinstance(one, _Ready)]
        answers = iter(self._worker.answer_directly(asked) if asked else ())
        return [self._completed(one, next(answers)) if isinstance(one, _Ready) else one for one in ready]

    def _ready(self, request: ChatRequest) -> _Ready | Exception:
        def ready() -> _Ready:
            sample, typed = asked_of(request, self._served.world_name)
            return _Ready(request, sample, self._served.task.request_sample(sample, typed=typed), typed)

        return _attempted(ready)

    def _completed(self, ready: _Ready, answer: Answer) -> Found:
        def completed() -> Completion:
            given = self._served.task.request_answer(answer, typed=ready.typed)
            return new_completion(given, ready.sample, ready.request, self._served)

        return _attempted(completed)


def _attempted(make: Callable[[], Made]) -> Made | Exception:
    """Return what is made, or the error of this one request."""
    try:
        return make()
    except Exception as error:  # noqa: BLE001  # a plug-in's task may fail in any way; it is told to whoever asked
        return error


def new_completion(answer: Answer, sample: Sample, request: ChatRequest, served: ServedSystem) -> Completion:
    """Return an answer that was made now in the form of a completion."""
    name, now = f"chatcmpl-{uuid.uuid4().hex}", int(time.time())
    return completion_of(answer, sample, request, served.task.info, name=name, created=now)


def _told(error: BaseException) -> Exception:
    """Return what would end the server as an error of one request."""
    found = RuntimeError(f"the system raised {type(error).__name__}")
    found.__cause__ = error
    return found


def _settle(several: Sequence[asyncio.Future[Completion]], found: Sequence[Found]) -> None:
    for made, one in zip(several, found, strict=True):
        if made.done():  # nobody waits for it
            continue
        if isinstance(one, Exception):
            made.set_exception(one)
        else:
            made.set_result(one)
