"""Addresses of servers that a user names: http and https alone, and nothing in them that should stay secret."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from urllib.parse import SplitResult


def checked_address(url: str, example: str, *, query: bool = True) -> SplitResult:
    """Return an address taken apart; `query` says whether it may have one.

    Raises `UsageError` for what is none, and for one with a name and password or a forbidden query, which would be
    kept beside every result.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port  # out of range
    except ValueError as error:
        raise UsageError(f"--set url={url}: {error}") from error
    if parts.username is not None or parts.password is not None:
        raise UsageError("--set url=...: name and password in the address would be kept beside every result")
    if not query and (parts.query or parts.fragment):
        raise UsageError("--set url=...: what stands after ? or # in the address would be kept beside every result")
    if parts.scheme not in {"http", "https"} or not parts.hostname or not url.isascii() or not url.isprintable():
        raise UsageError(f"--set url={url}: expected an address such as {example}")
    return parts
