"""What a server says where it does not answer, as a message tells it: short, on one line and without the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.decoded import made_whole
from duologue.core.escapes import excerpt
from duologue.endpoints.completion import error_in
from duologue.endpoints.secret import VARIABLE

if TYPE_CHECKING:
    from duologue.endpoints.secret import Secret

_NO_KEY = (401, 403)


def said_by_server(data: bytes, secret: Secret) -> str:
    """Return the message of an error in the form of the API, or the beginning of what came.

    The key is not in it, however JSON spells it.
    """
    try:
        decoded = secret.hidden_in(msgspec.json.decode(data))
        told = (error_in(decoded) or msgspec.json.encode(decoded).decode()).encode()
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        told = data
    return excerpt(secret.hidden(made_whole(told.decode("utf-8", "backslashreplace"))).encode()) or "nothing"


def refusal(status: int, data: bytes, location: str, secret: Secret) -> str:
    """Return in words that a server does not answer with success, and what it says."""
    if 300 <= status < 400:
        there = f", to {said_by_server(location.encode(), secret)}" if location else ""
        return f"sends elsewhere ({status}{there}), which is not followed"
    key = f"; its key is taken from {VARIABLE}" if status in _NO_KEY else ""
    return f"refuses with status {status}: {said_by_server(data, secret)}{key}"
