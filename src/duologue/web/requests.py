"""Strict parsing of the heads of HTTP/1.1 requests, before anything else reads them.

Two readings of one request are how proxies and servers are played against each other; whatever could be read in two
ways (a doubled length or host, folded lines, a length beside a transfer encoding) is refused. Source: RFC 9112.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Collection

_FIRST = re.compile(r"([A-Za-z]{1,20}) ([!-~]{1,8000}) HTTP/1\.([01])")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}):([\t -~\x80-\xff]*)")
_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
_OURS = frozenset({"expect", "upgrade"})
"""Fields that are answered, or passed over, before a request is handed on."""
_MAX_DIGITS = 12
"""Digits of the longest Content-Length that is read at all."""


class HttpError(Exception):
    """A request that is not answered: the status says why."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class Head(NamedTuple):
    """The part of a request before its body."""

    method: str
    target: str
    minor: str
    """`"0"` or `"1"`, of HTTP/1."""
    fields: dict[str, list[str]]
    """Values by name in lower case, in their order."""

    @property
    def waits(self) -> bool:
        """Whether the client sends its body only after a word that it may (`Expect: 100-continue`)."""
        return [value.lower() for value in self.fields.get("expect", [])] == ["100-continue"]

    def spelled(self) -> bytes:
        """Return the head as it was read: what was passed over, and what belongs to this hop alone, is gone."""
        lines = [f"{self.method} {self.target} HTTP/1.{self.minor}"]
        lines += [f"{name}: {one}" for name, found in self.fields.items() if name not in _OURS for one in found]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


def read_head(data: bytes) -> Head:
    """Return the head of a request, given with its empty line. Raises `HttpError` for what is not HTTP/1.x."""
    first, *lines = data.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    match = _FIRST.fullmatch(first)
    if match is None:
        raise HttpError(HTTPStatus.BAD_REQUEST)
    fields: dict[str, list[str]] = {}
    for line in lines:
        field = _FIELD.fullmatch(line)
        if field is None:
            raise HttpError(HTTPStatus.BAD_REQUEST)
        fields.setdefault(field[1].lower(), []).append(field[2].strip("\t "))
    if len(fields.get("host", [])) > 1 or (match[3] == "1" and "host" not in fields):
        raise HttpError(HTTPStatus.BAD_REQUEST)
    return Head(match[1].upper(), match[2], match[3], fields)


def length_of(head: Head, limit: int) -> int:
    """Return the bytes of the body. Raises `HttpError` where they are not told once and plainly, or are too many."""
    told = head.fields.get("content-length", [])
    if len(told) > 1:
        raise HttpError(HTTPStatus.BAD_REQUEST)
    if not told and head.method in _WITHOUT_BODY and "transfer-encoding" not in head.fields:
        return 0
    if not told or not (told[0].isascii() and told[0].isdigit()) or "transfer-encoding" in head.fields:
        raise HttpError(HTTPStatus.LENGTH_REQUIRED)
    if len(told[0]) > _MAX_DIGITS or int(told[0]) > limit:
        raise HttpError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return int(told[0])


def check_host(head: Head, hosts: Collection[str]) -> None:
    """Raise `HttpError` for a request that was meant for another host, or that a page of another site made.

    A host is one of `hosts` or an address in figures: a name that somebody else turns to this machine
    (DNS rebinding) is none of these. A browser names the page's origin, which must be this very host.
    """
    named = head.fields.get("host", [""])[0]
    if named and not _is_ours(_bare(named), hosts):
        raise HttpError(HTTPStatus.MISDIRECTED_REQUEST)
    for origin in head.fields.get("origin", []):
        if not named or origin.lower() not in {f"http://{named.lower()}", f"https://{named.lower()}"}:
            raise HttpError(HTTPStatus.FORBIDDEN)


def _is_ours(host: str, hosts: Collection[str]) -> bool:
    if host in hosts:
        return True
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _bare(named: str) -> str:
    """Return a host in lower case without port, brackets and final dot; empty for what is none."""
    try:
        return (urlsplit(f"//{named}").hostname or "").removesuffix(".")
    except ValueError:
        return ""
