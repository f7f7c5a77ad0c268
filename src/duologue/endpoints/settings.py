"""What is said of a chat endpoint: which model, how it is asked, how patiently, and what that may cost."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from duologue.core.bounds import Calls, Count, NonNegative, Positive, PositiveSeconds, Seconds, Tokens
from duologue.core.errors import UsageError
from duologue.core.records import Record

Temperature = Annotated[float, Meta(ge=0, le=2)]


class EndpointSettings(Record, frozen=True, kw_only=True):
    """Recipe entries of whatever asks a chat endpoint."""

    url: str
    """Base address of an OpenAI-compatible server, up to `/v1`, which is meant where it has no path. From `--set`
    alone, as are all files."""
    model: str
    """Name of the model, as the server knows it."""
    structure: Literal["auto", "schema", "object", "none"] = "auto"
    """How JSON answers are asked for: by schema, by `json_object`, in words alone; `auto`: a schema, and in words where
    the server refuses that."""
    reply_tokens: Tokens = 256
    """Tokens that the model may write at most."""
    temperature: Temperature = 0.0
    extra: dict[str, Any] = {}
    """Further fields of the request, such as `--set extra.reasoning_effort=low`."""
    omit: tuple[str, ...] = ()
    """Fields of the request that the server does not take, such as `["seed", "temperature"]`."""
    workers: Calls = 4
    """Calls at the same time."""
    timeout: PositiveSeconds = 120.0
    """Seconds for a whole call."""
    tries: Positive = 5
    """How often a call is sent before a server that is down, busy (429), broken (5xx) or cut off is given up."""
    wait: Seconds = 1.0
    """Seconds before the second try, give or take a half; doubled before each further one, unless the server says how
    long (`Retry-After`)."""
    longest_wait: PositiveSeconds = 120.0
    """Seconds between two tries at most; a server that asks for more is given up."""
    cache: str = "workspace/endpoint-cache"
    """Folder of finished calls, by what was asked: none is made twice. Empty: none is kept."""
    record: str = ""
    """File that each call of the run is written to, as JSON lines: request, completion and their hash."""
    replay: str = ""
    """Recording that all calls are taken from: nothing is sent, and a call that is not there is an error."""
    max_calls: Count = 0
    """Calls of a run at most, tries included; 0: no limit."""
    max_tokens_total: Count = 0
    """Tokens of a run at most, prompts and answers; 0: no limit."""
    max_cost: NonNegative = 0.0
    """Cost of a run at most, in the currency of the prices; 0: no limit."""
    price_in: NonNegative = 0.0
    """Price of a million tokens of prompts."""
    price_out: NonNegative = 0.0
    """Price of a million tokens of answers."""

    @property
    def answer_limit(self) -> int:
        """Tokens that an answer may have: `reply_tokens`, or what a field of `extra` asks for in its place."""
        asked = (self.extra.get(name) for name in ("max_completion_tokens", "max_tokens") if name not in self.omit)
        return next((one for one in asked if type(one) is int and one > 0), self.reply_tokens)

    def __post_init__(self) -> None:
        """Refuse entries that do not go together."""
        if self.max_cost and not (self.price_in or self.price_out):
            raise UsageError("max_cost: without price_in and price_out nothing costs anything; set them")
        if self.record and self.replay:
            raise UsageError("record and replay: a run that is replayed makes no calls to be recorded; leave one out")
        taken = sorted({"messages", "model", "stream", "n"} & {*self.extra, *self.omit})
        if taken:
            raise UsageError(f"extra and omit: '{taken[0]}' is not theirs to change")


PATIENCE = (
    *("workers", "timeout", "tries", "wait", "longest_wait", "cache", "record", "replay"),
    *("max_calls", "max_tokens_total", "max_cost", "price_in", "price_out"),
)
"""Entries that no answer depends on."""
BY_HAND = ("url", "cache", "record", "replay")
"""Entries that are never taken from a file, which may come from a stranger."""
