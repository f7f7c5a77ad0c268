"""A local chat model behind one method: GGUF weights run by llama.cpp in this process (the library xllamacpp).

Greedy: the likeliest word each time, so equal messages give an equal reply. The library serves its model on a free port
of this machine's loopback too, whether wanted or not; a random key that is thrown away keeps others out.
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
    """What somebody said."""

    role: str
    """`"system"` (what the model is told to be), `"user"` or `"assistant"`."""
    text: str


class Said(NamedTuple):
    """What the model said."""

    text: str
    whole: bool
    """Whether it came to its end by itself."""


class LocalChat:
    """A chat model with its weights in memory."""

    def __init__(self, weights: Path, *, context: int = 1024, threads: int = 1) -> None:
        """Load GGUF weights; `context` is the number of tokens that messages and reply may have together.

        Raises `UsageError` for weights that cannot be loaded.
        """
        settings = xllamacpp.CommonParams()
        settings.model.path = str(weights)
        settings.n_ctx = context
        settings.n_parallel = 1
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
        settings.n_gpu_layers = 0  # the same words on every machine
        settings.warmup = False
        settings.verbosity = _SILENT
        settings.api_keys = [secrets.token_urlsafe()]
        try:
            self._server = xllamacpp.Server(settings)
        except (RuntimeError, ValueError) as error:
            raise UsageError(f"{weights}: these weights cannot be loaded as GGUF: {error}") from error

    def say(self, messages: Sequence[Message], most: int) -> Said | None:
        """Return what the model says to messages, at most so many tokens; `None` where messages are too long for it.

        Nothing of other calls is kept, so that a reply never depends on what was asked before.
        """
        asked = {
            "messages": [{"role": one.role, "content": _readable(one.text)} for one in messages],
            "max_tokens": most,
            "temperature": 0,
            "cache_prompt": False,
        }
        told: dict[str, Any] = self._server.handle_chat_completions(asked)
        if "error" in told:
            if told["error"].get("type") == _NO_ROOM:
                return None
            raise PlugInError(f"the chat model refuses: {told['error'].get('message', told['error'])}")
        choice = told["choices"][0]
        return Said(choice["message"]["content"] or "", choice["finish_reason"] == "stop")


def _readable(text: str) -> str:
    """Return a text that is UTF-8, without the marks that tell the model who speaks."""
    return text.encode("utf-8", "replace").decode().replace("<|", "< |")
