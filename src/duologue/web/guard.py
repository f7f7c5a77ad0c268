"""What every request passes first: limits of the client, its token, and the deadline for the whole of it."""

from __future__ import annotations

import asyncio
import logging
import math
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.responses import Response

from duologue.web.access import client_of
from duologue.web.errors import error_body

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from duologue.web.access import AccessTokens, RateLimit

OPEN = frozenset({"/healthz"})
"""Paths that may be read without a token, which counts for no limit."""
_READS = ("GET", "HEAD")

_LOG = logging.getLogger(__name__)


class Guard:
    """An application (ASGI) before another."""

    def __init__(self, app: ASGIApp, tokens: AccessTokens, limit: RateLimit, *, seconds: float) -> None:
        self._app, self._tokens, self._limit, self._seconds = app, tokens, limit, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it; whatever fails is an error in the one form."""
        begun = ended = False

        async def noted(message: Message) -> None:
            nonlocal begun, ended
            begun = True
            ended = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        status, message = HTTPStatus.INTERNAL_SERVER_ERROR, ""
        try:
            app = self._refusal(scope) or self._app
            async with asyncio.timeout(self._seconds):
                await app(scope, receive, noted)
        except TimeoutError:
            status, message = HTTPStatus.GATEWAY_TIMEOUT, "The answer took too long."
        except Exception:  # noqa: BLE001  # whatever it is, it is logged and the next request is served
            if not ended:
                _LOG.exception("a request failed")
        if not begun:  # an answer that had begun is cut: the server hangs up
            await _error(status, message)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        if scope["path"] in OPEN and scope["method"] in _READS:
            return None
        client = scope.get("client")
        wait = self._limit.wait(client_of(client[0]) if client else "")
        if wait:
            fields = {"Retry-After": str(math.ceil(wait))}
            return _error(HTTPStatus.TOO_MANY_REQUESTS, "Too many requests; come again later.", fields)
        borne = [value for name, value in scope["headers"] if name == b"authorization"]
        if not self._tokens.admit(borne[0].decode("latin-1") if len(borne) == 1 else ""):
            message = "A token is wanted: Authorization: Bearer TOKEN."
            return _error(HTTPStatus.UNAUTHORIZED, message, {"WWW-Authenticate": "Bearer"}, code="invalid_api_key")
        return None


def _error(
    status: HTTPStatus, message: str = "", fields: dict[str, str] | None = None, *, code: str | None = None
) -> Response:
    return Response(error_body(status, message, code=code), status, headers=fields, media_type="application/json")
