"""Addresses of servers that a user names: http and https alone, and nothing in them that should stay secret."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from urllib.parse import SplitResult

COMPLETIONS = "/chat/completions"
"""Path of the call below the base address of a chat endpoint."""


def checked_address(
    url: str, example: str, *, query: bool = True, given: str = "--set url=", advice: str = ""
) -> SplitResult:
    """Return an address taken apart; `query` says whether it may have one.

    Messages begin as it was `given`, and `advice` says where secrets belong. Raises `UsageError` for what is no
    address, and for one with a name and password or a forbidden query, which would be kept beside every result.
    """
    start = re.split("[?#]", url, maxsplit=1)[0]
    shown = "..." if "@" in start else start
    try:
        parts = urlsplit(url)
        _ = parts.port  # out of range
    except ValueError as error:
        told = "its port or host is none" if "@" in start else error  # what is told may repeat a password
        raise UsageError(f"{given}{shown}: {told}") from error
    if parts.username is not None or parts.password is not None:
        raise UsageError(f"{given}...: name and password in the address would be kept beside every result{advice}")
    if not query and (parts.query or parts.fragment):
        what = "what stands after ? or # in the address"
        raise UsageError(f"{given}...: {what} would be kept beside every result{advice}")
    is_plain = url.isascii() and url.isprintable() and " " not in url
    if parts.scheme not in {"http", "https"} or not parts.hostname or not is_plain:
        raise UsageError(f"{given}{shown}: expected an address such as {example}")
    return parts


def base_address(url: str, example: str, *, given: str = "--set url=", advice: str = "") -> str:
    """Return the base address of a chat endpoint: without a path `/v1` is meant; one of the call is taken as it stands.

    Raises as `checked_address`, for a query, too.

    >>> [base_address(url, "") for url in ("http://x:8000", "http://x/v1/", "http://x/chat/completions")]
    ['http://x:8000/v1', 'http://x/v1', 'http://x']
    """
    parts = checked_address(url, example, query=False, given=given, advice=advice)
    path = (parts.path.rstrip("/") or "/v1").removesuffix(COMPLETIONS)
    return f"{parts.scheme}://{parts.netloc}{path}"
