"""HTTP client with rate limiting, retries with back-off, time-outs and truncated-response detection."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from duologue.challenges.conversation.collector.rate_limits import RateLimits, RetryPolicy, WallClock
from duologue.core.errors import DuologueError
from duologue.core.extras import need

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random
    from types import TracebackType

    from duologue.challenges.conversation.collector.credential import Credential
    from duologue.challenges.conversation.collector.rate_limits import Clock

    Params = Mapping[str, str | int]

_OK = 200
_TOO_MANY = 429
_REFUSED = (401, 402, 403)
_LARGEST_BODY = 64 << 20
_LOOKED_AT = 1 << 16
"""Characters of an answer in which secrets are looked for: far more than are shown, so that none is cut in two."""
_LONG_SECONDS = 10.0
"""Waits of at least this length are reported."""


class CallError(DuologueError):
    """The service cannot be used: the token is refused, or calls keep failing."""


class RefusedError(CallError):
    """Every further call will be refused too: invalid token, missing rights or no credit."""


class GoneError(DuologueError):
    """The account is deleted, suspended or protected."""

    def __init__(self, status: int, what: str) -> None:
        self.status = status
        super().__init__(what)


class HttpResponse(NamedTuple):
    """A response."""

    status: int
    body: Any
    """Decoded JSON; `None` where an error response has none."""
    limited: bool
    """Whether its headers included the rate limit."""


class HttpClient:
    """HTTP client that respects rate limits and retries; use it in a `with` block."""

    def __init__(
        self,
        base_url: str,
        credential: Credential | None,
        *,
        rng: Random,
        retry: RetryPolicy | None = None,
        clock: Clock | None = None,
        say: Callable[[str], object] = lambda _: None,
        on_call: Callable[[str, Params], object] = lambda *_: None,
    ) -> None:
        """`rng` draws the jitter, `say` reports waits to the user, `on_call` is called before every request."""
        httpx: Any = need("httpx", "collect")
        self._base_url = base_url.rstrip("/")
        self.credential = credential
        self._retry = retry or RetryPolicy()
        self._clock = clock or WallClock()
        self._rng = rng
        self._say = say
        self._on_call = on_call
        self.limits = RateLimits()
        self.calls = 0
        waits = httpx.Timeout(self._retry.silence_seconds)
        # Neither redirects nor proxies of the environment: the token goes to the named host and to no other. Only
        # for hosts elsewhere a proxy may be the only way out.
        local = self._base_url.startswith("http://")
        # Without TLS there is nothing to verify, and loading the certificates takes longer than many a call.
        self._client = httpx.Client(timeout=waits, follow_redirects=False, trust_env=not local, verify=not local)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._client.close()

    def get(
        self, endpoint: str, params: Params, *, family: str | None = None, fine: tuple[int, ...] = ()
    ) -> HttpResponse:
        """Return the response to a GET; waits for rate limits and retries after errors.

        `family` names the limit that the call counts for (default: the endpoint). Statuses in `fine` are answers for
        the caller to judge. Raises `CallError` for other refusals, and after too many errors in a row.
        """
        return self._call("GET", endpoint, params, family or endpoint, fine)

    def post(self, endpoint: str, form: Params) -> HttpResponse:
        """Return the response to a form that is sent, retried as `get` is. Raises `CallError` as `get` does."""
        return self._call("POST", endpoint, form, endpoint, ())

    def _call(self, method: str, endpoint: str, params: Params, family: str, fine: tuple[int, ...]) -> HttpResponse:
        errors = 0
        while True:
            self._pause(self.limits.wait(family, self._clock.now(), self._retry.margin_seconds), family)
            self.calls += 1
            self._on_call(endpoint, {name: self._logged(one) for name, one in params.items()})
            status, headers, body, trouble = self._once(method, endpoint, params)
            limited = self.limits.note(family, headers)
            if not trouble and (status == _OK or status in fine):
                return HttpResponse(status, body, limited)
            if not trouble and 300 <= status < 500 and status != _TOO_MANY:
                kind = RefusedError if status in _REFUSED else CallError
                raise kind(f"{endpoint}: {self._refusal(status, body)}")
            errors += 1
            if errors >= self._retry.tries:
                raise CallError(f"{endpoint}: {trouble or self._refusal(status, body)}; given up after {errors} tries")
            if status == _TOO_MANY and limited:
                # The headers of a refusal tell when to come back, even if they claim that something is left.
                self.limits.set(family, 0, float(headers["x-rate-limit-reset"]))
            waiting = self._retry.after(errors, self._rng)
            self._say(f"{endpoint}: {trouble or f'status {status}'}; trying again")
            self._pause(waiting, family)

    def _once(self, method: str, endpoint: str, params: Params) -> tuple[int, Mapping[str, str], Any, str]:
        """Make one request; return status, headers, decoded body, and the transport error if any."""
        import httpx

        url, sent = self._base_url + endpoint, {name: str(one) for name, one in params.items()}
        # A form is no part of what is signed here: the one that is sent goes with an app's key, which signs nothing.
        signed = self.credential.header(method, url, sent) if self.credential else {}
        where: Any = {"params": sent} if method == "GET" else {"data": sent}
        until = self._clock.now() + self._retry.answer_seconds
        data = bytearray()
        try:
            headers = {"Accept": "application/json", **signed}
            with self._client.stream(method, url, headers=headers, **where) as answer:
                for piece in answer.iter_bytes():
                    data += piece
                    if self._clock.now() > until:
                        return 0, {}, None, "the answer came too slowly"
                    if len(data) > _LARGEST_BODY:
                        return 0, {}, None, "the answer does not end"
        except httpx.TimeoutException:
            return 0, {}, None, "the service was silent for too long"
        except (httpx.TransportError, httpx.DecodingError) as error:
            return 0, {}, None, f"the connection failed ({type(error).__name__})"
        except httpx.InvalidURL as error:
            raise CallError(f"the address of {endpoint} cannot be used: {error}") from error
        try:
            body = json.loads(data)
        except (ValueError, RecursionError):
            if answer.status_code == _OK:
                return _OK, answer.headers, None, "the answer is cut off or no JSON"
            body = None
        return answer.status_code, answer.headers, body, ""

    def shown(self, text: str, limit: int = 300) -> str:
        """Return the beginning of what the service said, without the secrets that it may repeat."""
        return self._hidden(text[:_LOOKED_AT])[:limit]

    def _hidden(self, text: str) -> str:
        return self.credential.hidden_in(text) if self.credential else text

    def _logged(self, param: str | int) -> str | int:
        """Return a parameter as a log may have it: a page's token is the service's word."""
        return self._hidden(param) if isinstance(param, str) else param

    def _pause(self, seconds: float, family: str) -> None:
        if seconds >= _LONG_SECONDS:
            self._say(f"{family}: waiting {seconds:,.0f} seconds")
        if seconds > 0:
            self._clock.sleep(seconds)

    def _refusal(self, status: int, body: object) -> str:
        """Describe an error response, with the service's message but without the token it may repeat."""
        meanings = {
            401: "the service does not accept the token (401)",
            403: "the token may not make this call (403); its access level may be too low, or it takes a user's token "
            "(--access user)",
            402: "the account's credit is used up (402)",
            _TOO_MANY: "too many calls (429)",
        }
        words = json.dumps(body, ensure_ascii=True) if body is not None else ""
        words = self.shown(words)
        return meanings.get(status, f"the service answered with status {status}") + (f": {words}" if words else "")
