"""Style, scripts and pictures of the pages: files of the package, named with a hash of what they hold."""

from __future__ import annotations

import hashlib
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import Response

from duologue.core.disk import read_bytes
from duologue.site.page_error import PageError

if TYPE_CHECKING:
    from starlette.requests import Request

FOLDER = Path(__file__).with_name("static")
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_LONG = "public, max-age=31536000, immutable"


class Asset(NamedTuple):
    """A file of the pages."""

    body: bytes
    media_type: str
    mark: str
    """The beginning of its SHA-256."""


@cache
def assets() -> dict[str, Asset]:
    """Return the files by name; only these are ever served."""
    found = {}
    for path in sorted(FOLDER.iterdir()):
        if path.suffix in _TYPES:
            body = read_bytes(path)
            found[path.name] = Asset(body, _TYPES[path.suffix], hashlib.sha256(body).hexdigest()[:12])
    return found


def asset_path(name: str) -> str:
    """Return the path of a file. Raises `KeyError` where there is none of that name."""
    return f"/static/{assets()[name].mark}/{name}"


async def serve_asset(request: Request) -> Response:
    """Return a file; browsers may keep it for ever, since another one has another path."""
    found = assets().get(request.path_params["name"])
    if found is None or found.mark != request.path_params["mark"]:
        raise PageError(HTTPStatus.NOT_FOUND)
    return Response(found.body, media_type=found.media_type, headers={"Cache-Control": _LONG})
