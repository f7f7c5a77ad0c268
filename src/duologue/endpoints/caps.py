"""Caps on the calls, tokens and money of a run."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from duologue.core.amounts import amount
from duologue.core.errors import BotError

if TYPE_CHECKING:
    from duologue.endpoints.completion import ChatCompletion
    from duologue.endpoints.settings import EndpointSettings

_MILLION = 1_000_000
_BYTES_PER_TOKEN = 3.0
"""First estimate, until the server has told what prompts came to."""


class CapReachedError(BotError):
    """A cap of the recipe is reached; what is answered is kept."""


class SpendingCaps:
    """What a run has used and may use. Threads may share it.

    Before a call its prompt is estimated from its bytes, by what earlier ones came to, and its answer is taken to be as
    long as it may; what is under way counts as used, and so does what may have been answered unheard. Calls never
    exceed their cap; tokens and cost can by what the estimate of the prompts under way is off.
    """

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._lock = Lock()
        self._calls = 0
        self._in, self._out = 0.0, 0.0
        self._bytes, self._told = 0, 0

    def estimated(self, size: int) -> int:
        """Return the tokens that a prompt of so many bytes probably has."""
        return round(size * self._told / self._bytes if self._bytes else size / _BYTES_PER_TOKEN)

    def reserve(self, size: int) -> float:
        """Count a call with a prompt of `size` bytes as under way and return its estimate for `settle`.

        Raises `CapReachedError` where it might exceed a cap.
        """
        settings, limit = self._settings, self._settings.answer_limit
        with self._lock:
            tokens = float(self.estimated(size))
            after_in, after_out = self._in + tokens, self._out + limit
            cost = self.cost(after_in, after_out)
            for name, cap, after in (
                ("max_calls", settings.max_calls, self._calls + 1),
                ("max_tokens_total", settings.max_tokens_total, after_in + after_out),
                ("max_cost", settings.max_cost, cost),
            ):
                if cap and after > cap:
                    made = amount(self._calls, "call")
                    raise CapReachedError(
                        f"the cap {name}={cap} is reached after {made} of this run, tries included (the next might "
                        f"exceed it); give more with --set {name}=..."
                    )
            self._calls += 1
            self._in, self._out = after_in, after_out
        return tokens

    def settle(self, estimate: float, size: int, completion: ChatCompletion | None, *, free: bool = False) -> None:
        """Put what a call came to in place of its estimate.

        Of one that failed (`None`) the estimate stays, unless it was `free`: not sent, or refused. A server may have
        written an answer that came too late, was cut off or could not be read.
        """
        if completion is None and not free:
            return
        with self._lock:
            self._in -= estimate
            self._out -= self._settings.answer_limit
            if completion is not None:
                self._in += completion.prompt_tokens
                self._out += completion.completion_tokens
                if completion.told:
                    self._bytes += size
                    self._told += completion.prompt_tokens

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """Return what so many tokens cost."""
        return (tokens_in * self._settings.price_in + tokens_out * self._settings.price_out) / _MILLION
