"""Asks a chat model: the request in a form that the server takes, kept calls before new ones, all on an account."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.endpoints.caps import SpendingCaps
from duologue.endpoints.client import EndpointClient, FormRefusedError
from duologue.endpoints.recorded_calls import NotRecordedError, key_of
from duologue.endpoints.secret import Secret
from duologue.endpoints.store import CallStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duologue.endpoints.account import Account
    from duologue.endpoints.completion import ChatCompletion
    from duologue.endpoints.recorded_calls import CallRecording
    from duologue.endpoints.settings import EndpointSettings

_TOP_LOGPROBS = 20
"""As many as the interface allows."""


class CompletionRequest(NamedTuple):
    """What is asked of a chat model."""

    messages: Sequence[tuple[str, str]]
    """Role (`"system"`, `"user"` or `"assistant"`) and words of each."""
    seed: int
    schema: Mapping[str, Any] | None = None
    """JSON schema of the answer; `None` for plain text."""
    one_token: bool = False
    """Whether the first token with its likeliest alternatives is all that is wanted."""
    temperature: float | None = None
    """In place of that of the settings."""


class _UnderWay(NamedTuple):
    """A request that is asked: whoever holds the lock asks, and the other threads wait."""

    lock: Lock
    threads: set[int]


class ChatCaller:
    """Asks one model on one server. Threads may share it."""

    def __init__(self, settings: EndpointSettings) -> None:
        """Read the key from the environment.

        Raises `UsageError` for an address or a key that can be none, and for a key that stands in the settings.
        """
        self.caps = SpendingCaps(settings)
        self._settings = settings
        secret = Secret.of_environment()
        secret.demand_apart_from(msgspec.to_builtins(settings))
        self._client = EndpointClient(settings, secret, self.caps)
        self._store = CallStore(settings.cache, record=settings.record, replay=settings.replay)
        self._lock, self._under_way = Lock(), dict[bytes, _UnderWay]()
        self._forms: tuple[str, ...] = ("schema", "none") if settings.structure == "auto" else (settings.structure,)

    def ask(self, request: CompletionRequest, account: Account) -> ChatCompletion:
        """Return what the model says, from before where it was asked the same; the call is put on the account.

        Raises `BotError` for an endpoint that is down, refuses, or has come to a cap, and `NotRecordedError` where
        calls are replayed and this one is not in the recording.
        """
        bodies = self.bodies(request)
        with self._alone(bodies[-1]):
            completion = self.kept(bodies)
            if completion is None:
                return self._made(request, bodies, account)
        account.called(completion, kept=True, one_token=request.one_token)
        return completion

    @contextmanager
    def _alone(self, body: bytes) -> Iterator[None]:
        """Let one thread at a time ask the same where calls are kept, so that the next finds what came of it."""
        if not self._store.keeps:
            yield
            return
        with self._lock:
            under_way = self._under_way.setdefault(body, _UnderWay(Lock(), set()))
            under_way.threads.add(get_ident())
        try:
            with under_way.lock:
                yield
        finally:
            with self._lock:
                under_way.threads.discard(get_ident())
                if not under_way.threads:
                    self._under_way.pop(body, None)

    def _made(self, request: CompletionRequest, bodies: Sequence[bytes], account: Account) -> ChatCompletion:
        if self._store.replayed is not None:
            raise _not_recorded(self._store.replayed, self._client.url, bodies[0])
        last, sent = len(bodies) - 1, count()
        for number, body in enumerate(bodies):
            try:
                completion = self._client.complete(body, lambda: next(sent))
            except FormRefusedError:
                if number == last:
                    raise
                self._forms = self._forms[1:] or self._forms  # the server said so: no other call need try
                continue
            completion = self._store.keep(self._client.url, body, completion)
            account.called(completion, kept=False, one_token=request.one_token, again=next(sent) - 1)
            return completion
        raise AssertionError("the last form ends the loop")

    def kept(self, bodies: Sequence[bytes]) -> ChatCompletion | None:
        """Return what came of a request in one of its forms before; `None` where it was never made."""
        return next(filter(None, (self._store.find(self._client.url, body) for body in bodies)), None)

    def bodies(self, request: CompletionRequest) -> list[bytes]:
        """Return a request as it would be sent, in each form that may be tried, the best first."""
        settings = self._settings
        fields: dict[str, Any] = {
            "model": settings.model,
            "messages": [{"role": role, "content": content} for role, content in request.messages],
            "max_tokens": self.limit(request),
            "temperature": settings.temperature if request.temperature is None else request.temperature,
            "seed": request.seed,
        }
        if request.one_token:
            fields |= {"logprobs": True, "top_logprobs": _TOP_LOGPROBS}
        fields = {key: value for key, value in {**fields, **settings.extra}.items() if key not in settings.omit}
        forms = [_form(form, request.schema) for form in (self._forms if request.schema is not None else ("none",))]
        return [msgspec.json.encode({**fields, **form}) for form in forms]

    def limit(self, request: CompletionRequest) -> int:
        """Return how many tokens the model may write."""
        return 1 if request.one_token else self._settings.answer_limit

    def forecast(
        self, requests: Iterable[CompletionRequest], *, times: int = 1, asked: set[str] | None = None
    ) -> dict[str, float]:
        """Return what requests would take, each `times` times: calls, those kept from before, tokens, cost.

        Nothing is asked. What was `asked` in this forecast already counts as kept, where calls are kept, and what is
        asked now is added to it. Where a request stands for several, none of its calls counts as kept.
        """
        found = dict.fromkeys(("calls", "kept", "prompt_tokens", "most_completion_tokens"), 0.0)
        asked = set() if asked is None else asked
        for request in requests:
            bodies = self.bodies(request)
            key = key_of(self._client.url, bodies[-1])
            kept = times == 1 and ((self._store.keeps and key in asked) or self.kept(bodies) is not None)
            asked.add(key)
            found["calls"] += times
            found["kept"] += kept
            if not kept:
                found["prompt_tokens"] += times * self.caps.estimated(len(bodies[0]))
                found["most_completion_tokens"] += times * self.limit(request)
        found["cost"] = self.caps.cost(found["prompt_tokens"], found["most_completion_tokens"])
        return found

    def stop(self) -> None:
        """End the waits of all threads; calls under way come to their end."""
        self._client.stop()

    def reopen(self) -> None:
        """Let calls wait again after `stop`."""
        self._client.reopen()


def _not_recorded(recording: CallRecording, url: str, body: bytes) -> NotRecordedError:
    return NotRecordedError(
        f"{recording.path} has no call with the hash {key_of(url, body)[:12]} to {url} among its {len(recording):,}: "
        f"another prompt, seed, model, address or recipe was recorded; replay with those, or record anew"
    )


def _form(form: str, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    if form == "schema":
        named = {"name": "answer", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    return {"response_format": {"type": "json_object"}} if form == "object" else {}
