"""Client of a chat endpoint: one call with its tries, waits and deadline; several threads may share it.

Redirects are not followed, and a proxy of the environment is asked for https alone, where it sees no header.
"""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core.decoded import made_whole
from duologue.core.errors import BotError
from duologue.core.escapes import excerpt
from duologue.core.extras import need
from duologue.core.rng import Rng
from duologue.endpoints.address import checked_address
from duologue.endpoints.completion import completion_of, decoded_response
from duologue.endpoints.plain_body import MAX_BYTES, UNPACKED, packing_of
from duologue.endpoints.timed_line import TimedLine

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.endpoints.caps import SpendingCaps
    from duologue.endpoints.completion import ChatCompletion
    from duologue.endpoints.secret import Secret
    from duologue.endpoints.settings import EndpointSettings

_PATH = "/chat/completions"
_OK, _BAD_REQUESTS, _AGAIN = 200, (400, 415, 422), (408, 409, 425, 429)
_HINTS = dict.fromkeys((401, 403), "; its key is taken from DUOLOGUE_ENDPOINT_KEY") | {
    404: "; is the address its base address (--set url=..., most end in /v1), and has it the model (--set model=...)?"
}
_SECONDS = re.compile(r"[0-9]{1,300}(?:\.[0-9]{0,300})?")
"""A time in seconds; some servers tell fractions."""
_OPTIONAL = ("max_tokens", "temperature", "seed", "logprobs", "top_logprobs")
"""Fields of a request that some servers, or models, do not take."""
_STRUCTURE = ("response_format", "json_schema", "json_object", "schema", "grammar", "structured", "guided")
"""Words of a server that refuses the form of an answer."""


class FormRefusedError(BotError):
    """The server does not take the form that an answer was asked for in (`response_format`)."""


class StoppedError(BotError):
    """The run ends, and with it the calls that wait."""


class _TroubleError(Exception):
    """What may be over at the next try."""

    def __init__(self, what: str, wait: float | None = None, *, advice: str = "") -> None:
        super().__init__(what)
        self.wait, self.advice = wait, advice


class EndpointClient:
    """Posts chat requests to one server."""

    def __init__(self, settings: EndpointSettings, secret: Secret, caps: SpendingCaps) -> None:
        """Take the address apart; nothing is sent yet. Raises `UsageError` for what is no address."""
        url = settings.url.rstrip("/").removesuffix(_PATH)
        parts = checked_address(url, "http://127.0.0.1:8080/v1", query=False)
        self.url = url + _PATH
        self._who = f"the endpoint at {url}"
        self._settings, self._secret, self._caps = settings, secret, caps
        self._secure = parts.scheme == "https"
        self._free: list[TimedLine] = []
        self._certificates: Any = None
        self._lock = Lock()
        self._stopped = Event()
        self._not_before = 0.0

    def complete(self, body: bytes, on_sent: Callable[[], object] | None = None) -> ChatCompletion:
        """Return what the model says to a request; `on_sent` is called for each try that is sent.

        Raises `BotError` for a server that refuses it, or is down, busy or broken try after try, `FormRefusedError`
        where it does not take the form of the answer, and `CapReachedError`.
        """
        settings, wait = self._settings, self._settings.wait
        jitter = Rng(body.decode())
        for number in range(1, settings.tries + 1):
            self._wait_until_asked()
            try:
                return self._once(body, on_sent)
            except _TroubleError as trouble:
                if number == settings.tries:
                    tried = f" ({settings.tries} tries)" if settings.tries > 1 else ""
                    raise BotError(f"{self._who} {trouble}{tried}{trouble.advice}") from None
                pause = wait * (0.5 + jitter.unit()) if trouble.wait is None else trouble.wait
                if pause > settings.longest_wait and trouble.wait is not None:
                    raise BotError(
                        f"{self._who} {trouble}, and asks to come back in {pause:.0f} s "
                        f"(--set longest_wait={settings.longest_wait:g})"
                    ) from None
                self._pause(min(pause, settings.longest_wait), everybody=trouble.wait is not None)
                wait *= 2
        raise AssertionError("the last try ends the loop")

    def stop(self) -> None:
        """End the waits of all threads; calls under way come to their end."""
        self._stopped.set()

    def reopen(self) -> None:
        """Let calls wait again after `stop`."""
        self._stopped.clear()

    def _pause(self, seconds: float, *, everybody: bool) -> None:
        """Wait; where the server asked for it, so do the other threads before their next call."""
        if everybody:
            with self._lock:
                self._not_before = max(self._not_before, time.monotonic() + seconds)
        elif self._stopped.wait(seconds):
            raise StoppedError(f"{self._who} is asked no more")

    def _wait_until_asked(self) -> None:
        while (left := self._not_before - time.monotonic()) > 0:
            if self._stopped.wait(left):
                raise StoppedError(f"{self._who} is asked no more")

    def _once(self, body: bytes, on_sent: Callable[[], object] | None) -> ChatCompletion:
        estimate, completion = self._caps.reserve(len(body)), None
        try:
            if on_sent is not None:
                on_sent()
            httpx = need("httpx", "endpoint")
            line, begun = self._line(httpx), time.perf_counter()
            try:
                status, retry_after, data = self._post(httpx, line, body)
            finally:
                self._free.append(line)
            completion = self._judged(status, retry_after, data, body, 1000 * (time.perf_counter() - begun))
        finally:
            self._caps.settle(estimate, len(body), completion)
        return completion

    def _post(self, httpx: Any, line: TimedLine, body: bytes) -> tuple[int, str, bytes]:
        """Return status, `Retry-After` and body of the response. Raises `_TroubleError`."""
        data = bytearray()
        try:
            with line.post(self.url, body) as response:
                if packed := packing_of(response.headers):
                    told = f"packs its answer ({excerpt(packed.encode())}), which was not asked for"
                    raise BotError(f"{self._who} {told}; have it send plain ones")
                for piece in response.iter_raw():
                    data += piece
                    if len(data) > MAX_BYTES:
                        raise BotError(f"{self._who} sends more than {MAX_BYTES >> 20} MB")
                return response.status_code, response.headers.get("Retry-After", ""), bytes(data)
        except (httpx.HTTPError, httpx.StreamError) as error:
            if line.late or isinstance(error, httpx.TimeoutException):
                what = f"gave no answer in {self._settings.timeout:g} s (--set timeout=...)"
            elif isinstance(error, httpx.RemoteProtocolError):
                what = f"was cut off or speaks no HTTP ({self._secret.hidden(str(error))})"
            else:
                what = f"cannot be reached: {self._secret.hidden(str(error))}"
            raise _TroubleError(what, advice="; is it running?") from error

    def _line(self, httpx: Any) -> TimedLine:
        """Return a connection that no other thread uses; there are never more than calls at the same time."""
        with self._lock:
            if self._free:
                return self._free.pop()
            if self._certificates is None:  # read once, which takes longer than a call
                self._certificates = httpx.create_ssl_context(trust_env=self._secure)
        headers = {"Content-Type": "application/json", **UNPACKED, **self._secret.headers()}
        return TimedLine(headers, self._settings.timeout, self._certificates, proxies=self._secure)

    def _judged(self, status: int, retry_after: str, data: bytes, body: bytes, milliseconds: float) -> ChatCompletion:
        if status in _AGAIN or status >= 500:
            raise _TroubleError(f"answers with status {status}: {self._said(data)}", _seconds(retry_after))
        if status in _BAD_REQUESTS and any(word in data.decode("utf-8", "replace").lower() for word in _STRUCTURE):
            raise FormRefusedError(f"{self._who} refuses with status {status}: {self._said(data)}")
        if 300 <= status < 400:
            raise BotError(f"{self._who} sends elsewhere ({status}), which is not followed")
        if status != _OK:
            hint = _HINTS.get(status, "") or (_unwanted_field(data, body) if status in _BAD_REQUESTS else "")
            raise BotError(f"{self._who} refuses with status {status}: {self._said(data)}{hint}")
        try:
            told = self._secret.hidden_in(decoded_response(data))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            told = None
        completion = completion_of(told, len(body), milliseconds)
        if completion is None:
            raise _TroubleError(f"answers with what is no chat completion: {self._said(data)}")
        return completion

    def _said(self, data: bytes) -> str:
        """Return the beginning of what the server said, without the key however JSON spells it."""
        try:
            told = msgspec.json.encode(self._secret.hidden_in(msgspec.json.decode(data)))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, UnicodeEncodeError):
            told = data
        return excerpt(self._secret.hidden(made_whole(told.decode("utf-8", "backslashreplace"))).encode()) or "nothing"


def _unwanted_field(data: bytes, body: bytes) -> str:
    """Return how a field is left out that a server names where it refuses a request; empty where it names none."""
    named = next(
        (field for field in _OPTIONAL if f"'{field}'".encode() in data and f'"{field}"'.encode() in body), None
    )
    if named is None:
        return ""
    instead = " --set extra.max_completion_tokens=..." if named == "max_tokens" else ""
    return f"""; a field is left out with --set 'omit=["{named}"]'{instead}"""


def _seconds(retry_after: str) -> float | None:
    """Return the seconds that a `Retry-After` asks for, which may be a date; `None` where it says nothing."""
    if _SECONDS.fullmatch(retry_after.strip()):
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None
