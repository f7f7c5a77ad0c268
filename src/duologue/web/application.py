"""The application behind `duologue serve`: chat completions, the models there are, and a task's own form."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from duologue.core.errors import RequestError
from duologue.run.system_worker import GIVEN_UP
from duologue.web.access import AccessTokens, RateLimit
from duologue.web.answer_batches import AnswerBatches, new_completion
from duologue.web.answer_threads import AnswerThreads
from duologue.web.chat_form import asked_of, read_request
from duologue.web.completions import event
from duologue.web.errors import ApiError, error_body
from duologue.web.guard import Guard
from duologue.web.openapi import openapi_document
from duologue.web.served import by_name

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from typing import Any

    from starlette.requests import Request

    from duologue.core.protocols import Service
    from duologue.web.chat_form import ChatRequest
    from duologue.web.completions import Completion
    from duologue.web.served import ServedSystem

ANSWERS = 128
"""Answers that are made at once; others wait for their turn."""
ANSWER_SECONDS = 120.0
"""How long a request may take from being here to the last byte of its answer."""

_LOG = logging.getLogger(__name__)
_JSON = "application/json"
_READ_ALONE = ("healthz", "openapi.json")
"""Paths of the server that are no place for a task's own form."""
Made = TypeVar("Made")


class Application:
    """Answers requests with systems; `form` is the form of the path `/`, by default that of the first that has one."""

    def __init__(self, served: Sequence[ServedSystem], form: Service | None = None) -> None:
        self._served = by_name(served)
        self._form = form or next((one.form for one in served if one.form is not None), None)
        self._created = int(time.time())
        self._turns = asyncio.Semaphore(ANSWERS)
        self._threads = AnswerThreads()
        self._batches = {
            name: AnswerBatches(one, one.worker) for name, one in self._served.items() if one.worker is not None
        }
        self._document = msgspec.json.encode(openapi_document(official=self._form is not None))

    def routes(self) -> list[Route]:
        """Return the paths that there are."""
        own = [Route("/{path:path}", self.official, methods=["POST"])] if self._form is not None else []
        return [
            Route("/v1/chat/completions", self.complete, methods=["POST"]),
            Route("/healthz", self.health, methods=["GET"]),
            Route("/openapi.json", self.openapi, methods=["GET"]),
            Route("/v1/models", self.models, methods=["GET"]),
            Route("/v1/models/{name:path}", self.model, methods=["GET"]),
            *own,
        ]

    async def health(self, request: Request) -> Response:  # noqa: ARG002  # Starlette's form
        """Say that the server is up."""
        return _json({"status": "ok"})

    async def openapi(self, request: Request) -> Response:  # noqa: ARG002  # the same
        """Return the OpenAPI document."""
        return Response(self._document, media_type=_JSON)

    async def models(self, request: Request) -> Response:  # noqa: ARG002  # the same
        """Return the systems that are served."""
        return _json({"object": "list", "data": [self._told(one) for one in self._served.values()]})

    async def model(self, request: Request) -> Response:
        """Return one system."""
        return _json(self._told(self._system(request.path_params["name"])))

    async def official(self, request: Request) -> Response:
        """Answer in the task's own form, at every path but those of the API."""
        assert self._form is not None
        path = request.path_params["path"]
        if path.startswith("v1/"):
            raise ApiError(HTTPStatus.NOT_FOUND, "There is nothing at this path.")
        if path in _READ_ALONE:
            raise ApiError(HTTPStatus.METHOD_NOT_ALLOWED)
        respond, body = self._form.respond, await request.body()
        return Response(await self._made(request, lambda: self._in_thread(lambda: respond(body))), media_type=_JSON)

    async def complete(self, request: Request) -> Response:
        """Answer a request for a chat completion."""
        asked = read_request(await request.body())
        served = self._system(asked.model)
        made = await self._made(request, lambda: self._begun(served, asked))
        if not asked.stream:
            return _json(made.whole())
        options = asked.stream_options
        return StreamingResponse(
            _events(made, with_usage=options is not None and bool(options.include_usage)),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-cache"},
        )

    def _begun(self, served: ServedSystem, request: ChatRequest) -> asyncio.Future[Completion]:
        """Return the completion to come: of a batch, or where a request is more than one question, of a thread."""
        batches = self._batches.get(served.name)
        return batches.submit(request) if batches is not None else self._in_thread(lambda: _completion(served, request))

    def _system(self, name: str) -> ServedSystem:
        found = self._served.get(name)
        if found is None:
            message = f"There is no model '{name[:200]}'; there are {', '.join(self._served)}."
            raise ApiError(HTTPStatus.NOT_FOUND, message, param="model", code="model_not_found")
        return found

    def _told(self, one: ServedSystem) -> dict[str, Any]:
        info = one.task.info
        about = {"task": info.name, "language": info.language, "answers": info.answers}
        return {"id": one.name, "object": "model", "created": self._created, "owned_by": "duologue", "duologue": about}

    async def _made(self, request: Request, begin: Callable[[], asyncio.Future[Made]]) -> Made:
        """Return what is begun when it is this request's turn; it is cancelled once client or server are gone.

        Raises `ApiError` for a request that cannot be answered and for a system that fails.
        """
        async with self._turns:
            made = begin()
            left = asyncio.ensure_future(_left(request))
            left.add_done_callback(lambda _: made.cancel())
            try:
                return await made
            except ApiError:
                raise
            except asyncio.CancelledError:
                if not left.done() or left.cancelled():
                    raise  # the server stops, or the time is up
                raise ApiError(HTTPStatus.REQUEST_TIMEOUT, "The client has left.") from None
            except RequestError as error:
                raise ApiError(HTTPStatus.BAD_REQUEST, f"{error}.", param="metadata") from error
            except Exception as error:
                _LOG.exception("the system failed on a request")
                raise ApiError(HTTPStatus.INTERNAL_SERVER_ERROR, "The system failed.") from error
            finally:
                left.cancel()
                made.cancel()

    def _in_thread(self, make: Callable[[], Made]) -> asyncio.Future[Made]:
        """Return what `make` will have made in a thread that is told where nobody waits for it any more."""
        loop = asyncio.get_running_loop()
        given_up = threading.Event()
        made: asyncio.Future[Made] = loop.create_future()
        made.add_done_callback(lambda _: given_up.set())

        def work() -> None:
            GIVEN_UP.set(given_up)
            try:
                found = make()
            except BaseException as error:  # noqa: BLE001  # a system may fail in any way; it is told below
                settle = partial(_settle, made.set_exception, made, error)
            else:
                settle = partial(_settle, made.set_result, made, found)
            with suppress(RuntimeError):  # the server has stopped
                loop.call_soon_threadsafe(settle)

        try:
            self._threads.start(work)
        except RuntimeError as error:
            _LOG.exception("there is no thread to be had for an answer")
            raise ApiError(HTTPStatus.SERVICE_UNAVAILABLE, "There are too many requests; come again.") from error
        return made


def application(
    served: Sequence[ServedSystem],
    *,
    form: Service | None = None,
    tokens: AccessTokens | None = None,
    per_minute: int = 0,
    seconds: float = ANSWER_SECONDS,
) -> Guard:
    """Return the application (ASGI) for some systems.

    `tokens` are those that may ask, `per_minute` the requests of one client (0: any number), `seconds` the time that
    a request may take. `form` is as `Application` has it.
    """
    handlers = {ApiError: _refused, HTTPException: _refused_by_route, Exception: _failed}
    app = Starlette(routes=Application(served, form).routes(), exception_handlers=handlers)
    return Guard(app, tokens or AccessTokens(), RateLimit(per_minute), seconds=seconds)


def _completion(served: ServedSystem, request: ChatRequest) -> Completion:
    sample, typed = asked_of(request, served.world_name)
    return new_completion(served.answer(sample, typed=typed), sample, request, served)


def _settle(settle: Callable[[Any], None], made: asyncio.Future[Any], found: Any) -> None:
    if not made.done():  # else nobody waits for it
        settle(found)


async def _left(request: Request) -> None:
    """Return when the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _events(made: Completion, *, with_usage: bool) -> AsyncIterator[bytes]:
    for chunk in made.chunks(with_usage=with_usage):
        yield event(chunk)
    yield b"data: [DONE]\n\n"


async def _refused(request: Request, error: Exception) -> Response:  # noqa: ARG001  # Starlette's form
    assert isinstance(error, ApiError)
    return Response(error.body, error.status, media_type=_JSON)


async def _refused_by_route(request: Request, error: Exception) -> Response:  # noqa: ARG001  # the same
    assert isinstance(error, HTTPException)
    body = error_body(HTTPStatus(error.status_code))
    return Response(body, error.status_code, headers=error.headers, media_type=_JSON)


async def _failed(request: Request, error: Exception) -> Response:  # noqa: ARG001  # the same
    return Response(error_body(HTTPStatus.INTERNAL_SERVER_ERROR), 500, media_type=_JSON)


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type=_JSON)
