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
_BAD_REQUESTS = (400, 413, 422)
_LONG = (
    "context_length", "context length", "context_size", "context size", "context window", "prompt is too long",
    "input is too long", "too many tokens", "range of input length",
)  # fmt: skip
_FILTERED = (
    "content_filter", "content filter", "content_policy", "content policy", "content management policy",
    "data_inspection_failed", "inappropriate content", "敏感内容",
)  # fmt: skip
"""Words of servers that refuse a prompt for what it says: of OpenAI, Azure, llama.cpp, vLLM, Anthropic, DashScope."""
TOO_LONG, FILTERED = "prompt_too_long", "prompt_filtered"
NO_COMPLETION = "no_completion"
"""Why a call ended that a server answered with what is no chat completion, try after try."""


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


def refused_alone(status: int, data: bytes) -> str:
    """Return why a server refuses this prompt and would take others: `TOO_LONG` or `FILTERED`; empty where it may not.

    >>> refused_alone(400, b'{"error": {"code": "content_filter"}}'), refused_alone(400, b"no such field")
    ('prompt_filtered', '')
    """
    said = data.decode("utf-8", "replace").lower() if status in _BAD_REQUESTS else ""
    if any(word in said for word in _LONG):
        return TOO_LONG
    return FILTERED if any(word in said for word in _FILTERED) else ""


def refusal(status: int, data: bytes, location: str, secret: Secret) -> str:
    """Return in words that a server does not answer with success, and what it says."""
    if 300 <= status < 400:
        there = f", to {said_by_server(location.encode(), secret)}" if location else ""
        return f"sends elsewhere ({status}{there}), which is not followed"
    key = f"; its key is taken from {VARIABLE}" if status in _NO_KEY else ""
    return f"refuses with status {status}: {said_by_server(data, secret)}{key}"
