"""Client of a chat endpoint: one call with its tries, waits and deadline; several threads may share it."""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

from duologue.core.errors import BotError
from duologue.core.escapes import excerpt
from duologue.core.rng import Rng
from duologue.endpoints.address import COMPLETIONS, base_address
from duologue.endpoints.chunks import NotJsonError
from duologue.endpoints.completion import ChatCompletion, completion_of, decoded_response, error_in
from duologue.endpoints.server_words import NO_COMPLETION, refusal, refused_alone, said_by_server
from duologue.endpoints.timed_line import BodyError, LineError, TimedLine, certificates

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.endpoints.caps import SpendingCaps
    from duologue.endpoints.secret import Secret
    from duologue.endpoints.settings import EndpointSettings
    from duologue.endpoints.timed_line import LineResponse

_OK, _BAD_REQUESTS, _AGAIN = 200, (400, 415, 422), (408, 409, 425, 429)
_HINTS = {
    404: "; is the address its base address (--set url=..., most end in /v1), and has it the model (--set model=...)?"
}
_SECONDS = re.compile(r"[0-9]{1,300}(?:\.[0-9]{0,300})?")
"""A time in seconds; some servers tell fractions."""
_OPTIONAL = ("max_tokens", "temperature", "seed", "logprobs", "top_logprobs")
"""Fields of a request that some servers, or models, do not take."""
_STRUCTURE = ("response_format", "json_schema", "json_object", "schema", "grammar", "structured", "guided")
"""Words of a server that refuses the form of an answer."""
_ODD_IN_A_ROW = 5
"""Calls one after the other that come to no chat completion, after which a server that gave some is given up."""


class FormRefusedError(BotError):
    """The server does not take the form that an answer was asked for in (`response_format`)."""


class StoppedError(BotError):
    """The run ends, and with it the calls that wait."""


class _TroubleError(Exception):
    """What may be over at the next try."""

    def __init__(self, what: str, wait: float | None = None, *, advice: str = "") -> None:
        super().__init__(what)
        self.wait, self.advice = wait, advice


class _OddAnswerError(_TroubleError):
    """An answer with success that is no chat completion."""

    def __init__(self, said: str, milliseconds: float) -> None:
        super().__init__(f"answers with what is no chat completion: {said}")
        self.said, self.milliseconds = said, milliseconds


class EndpointClient:
    """Posts chat requests to one server."""

    def __init__(self, settings: EndpointSettings, secret: Secret, caps: SpendingCaps) -> None:
        """Take the address apart; nothing is sent yet. Raises `UsageError` for what is no address."""
        url = base_address(settings.url, "http://127.0.0.1:8080/v1")
        self.url = url + COMPLETIONS
        self._who = f"the endpoint at {url}"
        self._settings, self._secret, self._caps = settings, secret, caps
        self._secure = url.startswith("https:")
        self._free: list[TimedLine] = []
        self._certificates: Any = None
        self._lock = Lock()
        self._stopped = Event()
        self._not_before = 0.0
        self._completed, self._odd = False, 0
        """Whether there was a chat completion, and the calls since the last one that came to none."""

    def complete(self, body: bytes, on_sent: Callable[[], object] | None = None) -> ChatCompletion:
        """Return what the model says to a request; `on_sent` is called for each try that is sent.

        A prompt that a server refuses for what it says, or for its length, is answered by a refusal: others go on. So
        is one that it answers with what is no chat completion, try after try, where it has answered others with one.
        Raises `BotError` for a server that refuses all, or is down, busy or broken try after try, `FormRefusedError`
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
                    if isinstance(trouble, _OddAnswerError) and self._goes_on():
                        return self._unread(body, trouble)
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

    def _goes_on(self) -> bool:
        """Count a call that came to no chat completion, and tell whether it is an odd one amid good ones."""
        with self._lock:
            self._odd += 1
            return self._completed and self._odd < _ODD_IN_A_ROW

    def _unread(self, body: bytes, odd: _OddAnswerError) -> ChatCompletion:
        """Return a call that came to no chat completion; what it took is estimated."""
        return ChatCompletion(
            text="",
            refusal=odd.said,
            finish=NO_COMPLETION,
            prompt_tokens=self._caps.estimated(len(body)),
            milliseconds=round(odd.milliseconds, 3),
        )

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
        estimate, completion, free = self._caps.reserve(len(body)), None, True
        try:
            line = self._line()
            if on_sent is not None:
                on_sent()
            begun, free = time.perf_counter(), False
            try:
                with line.send("POST", self.url, body) as response:
                    free = response.status != _OK
                    data = b"".join(response.pieces)
            except BodyError as error:
                raise BotError(f"{self._who} {error}") from error
            except LineError as error:
                free = error.unsent
                raise self._trouble(error) from error
            finally:
                self._free.append(line)
            completion = self._judged(response, data, body, 1000 * (time.perf_counter() - begun))
        finally:
            self._caps.settle(estimate, len(body), completion, free=free)
        return completion

    def _trouble(self, error: LineError) -> _TroubleError | BotError:
        """Return what a call that came to nothing is told as; another try may help where it is a `_TroubleError`."""
        late = f"gave no answer in {self._settings.timeout:g} s (--set timeout=...)"
        what = late if error.late else self._secret.hidden(str(error))
        return BotError(f"{self._who} {what}") if error.lasting else _TroubleError(what, advice="; is it running?")

    def _line(self) -> TimedLine:
        """Return a connection that no other thread uses; there are never more than calls at the same time."""
        with self._lock:
            if self._free:
                return self._free.pop()
            if self._certificates is None:
                self._certificates = certificates(secure=self._secure)
        headers = self._secret.headers()
        return TimedLine(headers, self._settings.timeout, secure=self._secure, verify=self._certificates)

    def _judged(self, response: LineResponse, data: bytes, body: bytes, milliseconds: float) -> ChatCompletion:
        status = response.status
        if status in _AGAIN or status >= 500:
            raise _TroubleError(f"answers with status {status}: {self._said(data)}", _seconds(response.retry_after))
        if status != _OK:
            refused = f"{self._who} {refusal(status, data, response.location, self._secret)}"
            if why := refused_alone(status, data):
                spent = round(milliseconds, 3)
                return ChatCompletion(text="", refusal=self._said(data), finish=why, told=True, milliseconds=spent)
            if status not in _BAD_REQUESTS:
                raise BotError(refused + _HINTS.get(status, ""))
            if any(word in data.decode("utf-8", "replace").lower() for word in _STRUCTURE):
                raise FormRefusedError(refused)
            raise BotError(refused + _unwanted_field(data, body))
        try:
            told = self._secret.hidden_in(decoded_response(data))
        except NotJsonError:
            told = None
        completion = completion_of(told, len(body), milliseconds)
        if completion is None:
            if error := error_in(told):
                raise _TroubleError(f"fails in its answer: {excerpt(error.encode())}")
            raise _OddAnswerError(self._said(data), milliseconds)
        with self._lock:
            self._completed, self._odd = True, 0
        return completion

    def _said(self, data: bytes) -> str:
        return said_by_server(data, self._secret)


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
