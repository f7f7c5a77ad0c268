"""What every request passes first: who it is from, how often and how much they may ask, and what browsers are told."""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response

from duologue.arena.people.sessions import person_of_session
from duologue.arena.people.tokens import person_of_token
from duologue.core.errors import DuologueError
from duologue.site.cookies import LANGUAGE, SESSION, VISITOR, cookie_of, set_cookie
from duologue.site.error_answer import error_answer
from duologue.site.page_error import PageError
from duologue.site.words import language_of
from duologue.web.access import RateLimit, client_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from duologue.arena.people.people import Person
    from duologue.site.site import Site

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing inline, nothing from elsewhere, in nobody's frame."""
FIELDS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Fields of every answer."""
OPEN = ("/static/", "/healthz")
"""Paths that are the same for everybody, and count for no limit."""
API = "/api/"

_LOG = logging.getLogger(__name__)


class Gate:
    """An application (ASGI) before the site's own."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app, self._site = app, site
        self._limit = RateLimit(site.settings.per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it; whatever fails is a page, or JSON, that says nothing of the machine."""
        request = Request(scope)
        begun = False
        deadline = asyncio.timeout(self._site.settings.seconds)

        async def told(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                self._tell(request, message)
            await send(message)

        async def in_time(message: Message) -> None:
            deadline.reschedule(None)  # streams may go on
            await told(message)

        try:
            async with deadline:
                await self._admit(request)
                await self._app(scope, self._limited(scope, receive), in_time)
                return
        except (PageError, DuologueError) as refused:  # a database that refuses, say, while it is asked who this is
            error: Exception = refused
        except TimeoutError:
            error = PageError(HTTPStatus.GATEWAY_TIMEOUT)
        except Exception:  # noqa: BLE001  # whatever it is, it is logged and the next request is served
            _LOG.exception("a request failed")
            error = PageError(HTTPStatus.INTERNAL_SERVER_ERROR)
        if not begun:
            answer = await error_answer(request, error)
            await answer(scope, receive, told)

    async def _admit(self, request: Request) -> None:
        """Note who asks, in which language. Raises `PageError` for too many requests."""
        scope, path = request.scope, request.url.path
        scope["app"] = self._app
        scope["duologue.language"] = language_of(
            cookie_of(request, LANGUAGE), request.headers.get("accept-language", "")
        )
        if path.startswith(OPEN):
            return
        person, key = await (self._by_token(request) if path.startswith(API) else self._by_cookie(request))
        wait = self._limit.wait(person.id if person else client_of(request.client.host if request.client else ""))
        if wait:
            refused = PageError(HTTPStatus.TOO_MANY_REQUESTS)
            refused.fields = {"Retry-After": str(math.ceil(wait))}
            raise refused
        scope["duologue.person"], scope["duologue.key"] = person, key
        if person and not cookie_of(request, LANGUAGE) and person.language:
            scope["duologue.language"] = person.language

    async def _by_token(self, request: Request) -> tuple[Person | None, str]:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            return None, ""
        person = await self._site.read(person_of_token, token.strip(), now=self._site.database.now())
        if person is None:
            raise PageError(HTTPStatus.UNAUTHORIZED)
        return person, token.strip()

    async def _by_cookie(self, request: Request) -> tuple[Person | None, str]:
        session = cookie_of(request, SESSION)
        if session:
            person = await self._site.read(person_of_session, session, now=self._site.database.now())
            if person is not None:
                return person, session
        key = cookie_of(request, VISITOR)
        if len(key) < 32:
            key = request.scope["duologue.visitor"] = secrets.token_urlsafe(32)
        return None, key

    def _tell(self, request: Request, message: Message) -> None:
        """Add what browsers are told with every answer."""
        fields = MutableHeaders(scope=message)
        for name, value in FIELDS.items():
            fields.setdefault(name, value)
        if not request.url.path.startswith(OPEN):
            fields.setdefault("Cache-Control", "no-store")
        if "duologue.visitor" in request.scope:
            answer = Response()
            set_cookie(answer, request, VISITOR, request.scope["duologue.visitor"])
            fields.append("Set-Cookie", answer.headers["set-cookie"])

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        """Return what receives a body up to its limit. Raises `PageError` beyond it."""
        settings = self._site.settings
        limit = settings.largest_upload if scope["path"].endswith("/upload") else settings.largest_body
        taken = 0

        async def received() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > limit:
                raise PageError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return message

        return received
