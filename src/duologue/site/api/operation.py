"""An operation of the API: what it is called, what it takes and gives, and the route made of it."""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from duologue.arena.people.secret import derived_secret, new_secret
from duologue.core.typed import decode_json
from duologue.site.page_error import PageError, forbidden
from duologue.site.visit import Visit

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sqlalchemy import Connection
    from starlette.requests import Request

    from duologue.arena.people.secret import EntrySecret

PREFIX = "/api/v1"
IDEMPOTENCY = "Idempotency-Key"


class OperationCall(Visit):
    """One request of a program; `body` is what was sent, as the operation takes it."""

    def __init__(self, request: Request, body: Any) -> None:
        super().__init__(request)
        self.body = body

    async def write(self, action: Callable[[Connection], Any]) -> Any:
        """Do something and return its result (JSON) after the commit; the same `Idempotency-Key` again does nothing."""
        return await self.site.write(self.by_me(action), nonce=self.nonce)

    def secret(self, number: int = 0) -> EntrySecret:
        """Return a new secret, such as that of a link; the same `Idempotency-Key` again gives the same one."""
        return derived_secret(self.key, f"{self.nonce} {number}") if self.nonce is not None else new_secret()

    @property
    def nonce(self) -> str | None:
        """What names this very request, by its `Idempotency-Key`; `None` without one."""
        key = self.request.headers.get(IDEMPOTENCY, "")
        scope = f"{self.me.id}\n{self.request.method}\n{self.request.url.path}\n{key}"
        return hashlib.sha256(scope.encode()).hexdigest() if key else None


class QueryParameter(NamedTuple):
    """A parameter of the query, which may be left out."""

    name: str
    about: str


class Operation(NamedTuple):
    """One thing that a program may ask for."""

    method: str
    path: str
    """Below `/api/v1`, such as `/people/{id}`."""
    summary: str
    handle: Callable[[OperationCall], Awaitable[Any]]
    gives: Any = None
    """Type of the answer, which `msgspec` can write; a `Response` goes out as it is."""
    takes: Any = None
    """Type of the JSON body; `bytes`: whatever is sent, which `handle` reads itself; `None`: there is none."""
    roles: tuple[str, ...] = ()
    """Who may; empty: whoever has a token."""
    asks: tuple[QueryParameter, ...] = ()
    """What the query may say."""

    def route(self) -> Route:
        """Return the route that answers it."""
        return Route(PREFIX + self.path, self._answer, methods=[self.method])

    async def _answer(self, request: Request) -> Response:
        person = request.scope.get("duologue.person")
        if person is None:
            refused = PageError(HTTPStatus.UNAUTHORIZED, "site.api_token")
            refused.fields = {"WWW-Authenticate": "Bearer"}
            raise refused
        if not person.may(*self.roles):
            raise forbidden()
        body = None
        if self.takes not in (None, bytes):
            try:
                body = decode_json(await request.body(), self.takes)
            except msgspec.DecodeError as error:
                raise PageError(HTTPStatus.BAD_REQUEST, "site.api_body", problem=str(error)) from error
        found = await self.handle(OperationCall(request, body))
        if isinstance(found, Response):
            return found
        return Response(msgspec.json.encode(found), media_type="application/json")
