"""The application (ASGI) behind `duologue site`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from duologue.core.errors import DuologueError
from duologue.site.api.areas import api_routes
from duologue.site.assets import serve_asset
from duologue.site.error_answer import error_answer
from duologue.site.gate import Gate
from duologue.site.page_error import PageError
from duologue.site.pages.areas import AREAS
from duologue.site.site import Site

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp

    from duologue.arena.database.database import Database
    from duologue.site.settings import SiteSettings


def create_application(database: Database, settings: SiteSettings) -> ASGIApp:
    """Return the site over a database."""
    settings.check()
    site = Site(database, settings, [entry for area in AREAS for entry in area.entries])
    app = Starlette(
        routes=all_routes(),
        exception_handlers=dict.fromkeys((PageError, HTTPException, DuologueError, Exception), error_answer),
    )
    app.state.site = site
    app.router.redirect_slashes = False
    return ProxyHeadersMiddleware(Gate(app, site), trusted_hosts=list(settings.proxies))


def all_routes() -> list[Route]:
    """Return all routes: of the areas, of the API, of files, and whether the site is up."""
    return [
        *(route for area in AREAS for route in area.routes()),
        *api_routes(),
        Route("/static/{mark}/{name}", serve_asset, methods=["GET"]),
        Route("/healthz", _health, methods=["GET"]),
    ]


async def _health(request: Request) -> Response:  # noqa: ARG001  # Starlette's form
    return Response(b'{"status":"ok"}', media_type="application/json")
