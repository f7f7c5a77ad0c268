"""Forms as they are sent: held to their token, their nonce and their limits before anything of them is used."""

from __future__ import annotations

import hashlib
import hmac
import uuid
from http import HTTPStatus
from typing import TYPE_CHECKING

from python_multipart.multipart import parse_options_header
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException

from duologue.site.page_error import PageError

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from starlette.requests import Request

TOKEN_FIELD, NONCE_FIELD = "form_token", "form_nonce"
FIELDS = 2_000
"""Fields of the largest form."""
LONGEST_TEXT = 10_000
"""Characters of the longest text where a handler says nothing else."""
_LONGEST_FIELD = 1 << 20
_NONCE = 64
_PLAIN = frozenset({b"utf-8", b"utf8"})
"""What forms may say that they are written in."""


def token_of(key: str) -> str:
    """Return the token that forms of a browser carry, made of its session's secret."""
    return hmac.new(key.encode("utf-8", "surrogateescape"), b"form", hashlib.sha256).hexdigest()


def new_nonce() -> str:
    """Return the nonce of a form that is shown."""
    return uuid.uuid4().hex


class Form:
    """The fields of a form that was sent."""

    def __init__(self, fields: Any, nonce: str) -> None:
        self._fields = fields
        self.nonce = nonce
        """Names this very form: what is submitted with it is done once."""

    def text(self, name: str, *, limit: int = LONGEST_TEXT, needed: bool = True) -> str:
        """Return a text, without spaces around it. Raises `PageError` for one that lacks or is too long."""
        found = self._fields.get(name, "")
        found = found.strip() if isinstance(found, str) else ""
        if needed and not found:
            raise PageError(HTTPStatus.BAD_REQUEST, "site.field_missing", field=name)
        if len(found) > limit:
            raise PageError(HTTPStatus.BAD_REQUEST, "site.field_too_long", field=name, limit=limit)
        if "\0" in found:
            raise PageError(HTTPStatus.BAD_REQUEST, "site.field_odd", field=name)
        return found.replace("\r\n", "\n")

    def choice(self, name: str, known: Collection[str]) -> str:
        """Return one of some known words. Raises `PageError` for another."""
        found = self.text(name)
        if found not in known:
            raise PageError(HTTPStatus.BAD_REQUEST, "site.field_odd", field=name)
        return found

    def choices(self, name: str, known: Collection[str]) -> list[str]:
        """Return the known words that were ticked, in the order of the form. Raises `PageError` for another."""
        found = [str(one) for one in self._fields.getlist(name)]
        if not set(found) <= set(known):
            raise PageError(HTTPStatus.BAD_REQUEST, "site.field_odd", field=name)
        return found

    def whole(self, name: str, low: int, high: int) -> int:
        """Return a whole number. Raises `PageError` for anything else, and for one out of range."""
        found = self.text(name, limit=20)
        digits = found.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()) or not low <= int(found) <= high:
            raise PageError(HTTPStatus.BAD_REQUEST, "site.field_whole", field=name, low=low, high=high)
        return int(found)

    def ticked(self, name: str) -> bool:
        """Whether a box is ticked."""
        return bool(self._fields.get(name))

    def has(self, name: str) -> bool:
        """Whether there is a field of that name, such as the button that was pressed."""
        return name in self._fields

    def file(self, name: str) -> UploadFile:
        """Return a file: its `filename` is a stranger's word, never a path of ours. Raises `PageError` for none."""
        found = self._fields.get(name)
        if not isinstance(found, UploadFile) or not found.filename:
            raise PageError(HTTPStatus.BAD_REQUEST, "site.field_missing", field=name)
        return found

    def files(self, name: str) -> list[UploadFile]:
        """Return all files of a field."""
        return [one for one in self._fields.getlist(name) if isinstance(one, UploadFile) and one.filename]


async def read_form(request: Request, key: str, person_id: str) -> Form:
    """Return the form of a request. Raises `PageError` without the token of this very browser, and for odd forms."""
    _expect_plain(request)
    try:
        fields = await request.form(max_files=200, max_fields=FIELDS, max_part_size=_LONGEST_FIELD)
    except (MultiPartException, HTTPException) as error:
        raise PageError(HTTPStatus.BAD_REQUEST) from error
    given, nonce = fields.get(TOKEN_FIELD), fields.get(NONCE_FIELD)
    if not key or not isinstance(given, str) or not hmac.compare_digest(given.encode(), token_of(key).encode()):
        raise PageError(HTTPStatus.FORBIDDEN, "site.form_outdated")
    if not isinstance(nonce, str) or not nonce.isalnum() or len(nonce) > _NONCE:
        raise PageError(HTTPStatus.BAD_REQUEST)
    scope = "\n".join([person_id or key, request.url.path, nonce])
    return Form(fields, hashlib.sha256(scope.encode("utf-8", "surrogateescape")).hexdigest())


def _expect_plain(request: Request) -> None:
    """Raise `PageError` for a form in another encoding than UTF-8, the only one that browsers send for our pages.

    Starlette takes any that Python knows: some are none of texts, some make half characters, and punycode takes half a
    minute for a megabyte.
    """
    _, options = parse_options_header(request.headers.get("content-type", ""))
    if options.get(b"charset", b"utf-8").lower() not in _PLAIN:
        raise PageError(HTTPStatus.BAD_REQUEST)
