"""Answers to requests that went wrong: a page in the reader's language, or JSON for programs."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import Response

from duologue.core.errors import DuologueError, NoSpaceError, NotFoundError, StorageError
from duologue.site.messages import in_language
from duologue.site.page_error import PageError
from duologue.site.visit import Visit
from duologue.site.words import words
from duologue.web.errors import error_body

if TYPE_CHECKING:
    from starlette.requests import Request

_LOG = logging.getLogger(__name__)
_STATUS = {
    NotFoundError: HTTPStatus.NOT_FOUND,
    StorageError: HTTPStatus.SERVICE_UNAVAILABLE,
    DuologueError: HTTPStatus.BAD_REQUEST,
}
"""The first that fits counts."""


async def error_answer(request: Request, error: Exception) -> Response:
    """Return the answer for an error; of one that nobody thought of nothing is told but that there was one."""
    status, said = HTTPStatus.INTERNAL_SERVER_ERROR, ""
    fields: dict[str, str] = {}
    visit = Visit(request)
    if isinstance(error, PageError):
        status, fields = error.status, error.fields
        said = visit.t(error.key, **error.values) if error.key else ""
    elif isinstance(error, HTTPException):
        status, fields = HTTPStatus(error.status_code), dict(error.headers or {})
    elif isinstance(error, DuologueError):
        status = next(status for kind, status in _STATUS.items() if isinstance(error, kind))
        said = "" if isinstance(error, StorageError) else str(error)
        if isinstance(error, NoSpaceError):  # whoever asked can do nothing about it
            _LOG.warning("a request could not be answered: %s", error)
    if request.url.path.startswith("/api/"):
        body = error_body(status, str(said))
        return Response(body, status, headers=fields, media_type="application/json")
    known = f"site.error_{status.value}"
    if isinstance(error, DuologueError):
        said = in_language(visit.language, said)
    values = {"title": visit.t(known if known in words() else "site.error_other"), "said": said, "number": status.value}
    answer = visit.page("site/error.html", status=status.value, **values)
    answer.headers.update(fields)
    return answer
