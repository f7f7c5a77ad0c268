"""Areas: the parts of the site, each with its routes and its place in the navigation."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, NamedTuple

from starlette.routing import Route

from duologue.site.page_error import forbidden
from duologue.site.visit import Visit

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from duologue.site.navigation import NavigationEntry

    Handler = Callable[[Visit], Awaitable[Response]]

SIGN_IN = "/sign-in"


class Area(NamedTuple):
    """A part of the site."""

    name: str
    routes: Callable[[], Sequence[Route]]
    entries: tuple[NavigationEntry, ...] = ()


def route(path: str, handler: Handler, *roles: str, methods: Sequence[str] = ("GET",)) -> Route:
    """Return a route for people with one of some roles, or for whoever is signed in; others are asked to sign in."""

    @wraps(handler)
    async def answer(request: Request) -> Response:
        visit = Visit(request)
        if visit.person is None:
            return visit.redirect(SIGN_IN)
        if not visit.person.may(*roles):
            raise forbidden()
        return await _answered(handler, visit)

    return Route(path, answer, methods=list(methods))


def open_route(path: str, handler: Handler, *, methods: Sequence[str] = ("GET",)) -> Route:
    """Return a route for everybody."""

    @wraps(handler)
    async def answer(request: Request) -> Response:
        return await _answered(handler, Visit(request))

    return Route(path, answer, methods=list(methods))


async def _answered(handler: Handler, visit: Visit) -> Response:
    """Return the answer of a handler; files that a form brought are closed, whatever became of them."""
    try:
        return await handler(visit)
    finally:
        await visit.request.close()
