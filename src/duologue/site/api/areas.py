"""All operations of the API, with the document that describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from duologue.site.api import (
    account,
    annotation,
    ballots,
    campaigns,
    open_links,
    people,
    talk_lists,
    talks,
    teams,
    tracks,
)
from duologue.site.api.document import document_of
from duologue.site.api.operation import PREFIX
from duologue.site.page_error import not_found

if TYPE_CHECKING:
    from starlette.requests import Request

    from duologue.site.api.operation import Operation

AREAS: tuple[Any, ...] = (
    account, people, open_links, annotation, campaigns, ballots, talks, talk_lists, tracks, teams
)  # fmt: skip
"""Modules with `operations()`; an area more is a line more."""


def all_operations() -> list[Operation]:
    """Return all operations."""
    return [one for area in AREAS for one in area.operations()]


def api_routes() -> list[Route]:
    """Return the routes of the API."""
    operations = all_operations()
    document = msgspec.json.encode(document_of(operations))

    async def describe(request: Request) -> Response:  # noqa: ARG001  # Starlette's form
        return Response(document, media_type="application/json")

    async def nothing(request: Request) -> Response:  # noqa: ARG001  # the same
        raise not_found()

    return [
        Route(f"{PREFIX}/openapi.json", describe, methods=["GET"]),
        *(one.route() for one in operations),
        Route("/api/{rest:path}", nothing),
    ]
