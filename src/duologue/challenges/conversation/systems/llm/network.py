"""Local chat model: GGUF weights run by llama.cpp in this process (xllamacpp), with greedy decoding.

The library also serves the model on a free loopback port, which cannot be turned off; a random API key that is thrown
away keeps others out.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, NamedTuple

import xllamacpp

from duologue.core.errors import PlugInError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SILENT = -1
_NO_ROOM = "exceed_context_size_error"


class Message(NamedTuple):
    """A chat message."""

    role: str
    """`"system"`, `"user"` or `"assistant"`."""
    text: str


class ChatReply(NamedTuple):
    """A generated reply."""

    text: str
    whole: bool
    """Whether it ended with the end token rather than at the limit."""


class LocalChat:
    """A chat model with its weights in memory."""

    def __init__(self, weights: Path, *, context: int = 1024, threads: int = 1) -> None:
        """Load GGUF weights; `context` is the context size in tokens, messages and reply together.

        Raises `UsageError` for weights that cannot be loaded.
        """
        settings = xllamacpp.CommonParams()
        settings.model.path = str(weights)
        settings.n_ctx = context
        settings.n_parallel = 1
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
        settings.n_gpu_layers = 0  # the same reply on every machine
        settings.warmup = False
        settings.verbosity = _SILENT
        settings.api_keys = [secrets.token_urlsafe()]
        try:
            self._server = xllamacpp.Server(settings)
        except (RuntimeError, ValueError) as error:
            raise UsageError(f"{weights}: these weights cannot be loaded as GGUF: {error}") from error

    def say(self, messages: Sequence[Message], limit: int) -> ChatReply | None:
        """Generate at most `limit` tokens; `None` where the messages exceed the context.

        No cache is kept between calls, so that a reply never depends on earlier ones.
        """
        asked = {
            "messages": [{"role": one.role, "content": _readable(one.text)} for one in messages],
            "max_tokens": limit,
            "temperature": 0,
            "cache_prompt": False,
        }
        told: dict[str, Any] = self._server.handle_chat_completions(asked)
        if "error" in told:
            if told["error"].get("type") == _NO_ROOM:
                return None
            raise PlugInError(f"the chat model refuses: {told['error'].get('message', told['error'])}")
        choice = told["choices"][0]
        return ChatReply(choice["message"]["content"] or "", choice["finish_reason"] == "stop")


def _readable(text: str) -> str:
    """Return a text as valid UTF-8, with chat-template markers defused."""
    return text.encode("utf-8", "replace").decode().replace("<|", "< |")
