"""An external bot over HTTP: JSON in a POST, JSON in the response."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from duologue.core.bounds import Positive, PositiveSeconds, Seconds
from duologue.core.errors import BotError
from duologue.core.escapes import excerpt
from duologue.core.records import Record
from duologue.core.scope import Scope
from duologue.endpoints.address import checked_address
from duologue.systems.bot import MAX_BYTES, NOT_DECLARED, answer_of, request_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Answer, Sample

_LONGEST_WAIT = 60.0
"""Seconds between two tries at most, whatever a bot asks for."""
_BUSY = 429
_LONGEST_LENGTH = 20
"""Digits of a `Content-Length` from which on it is none."""
_HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}


class HttpRecipe(Record, frozen=True):
    """Which bot, and how patient to be with it."""

    url: str
    """Where requests are posted, `http://` or `https://`. From `--set` alone."""
    timeout: PositiveSeconds = 60.0
    """Seconds for a whole answer."""
    tries: Positive = 4
    """How often a request is sent before a bot that is down, busy (429) or broken (5xx) is given up."""
    wait: Seconds = 0.5
    """Seconds before the second try; doubled before each further one, unless the bot says how long (`Retry-After`)."""
    seen: str = NOT_DECLARED
    """What data the bot learned from, as you declare it; said beside every score."""

    @classmethod
    def tiny(cls) -> HttpRecipe:
        """Return a recipe for tests of what is not asked."""
        return cls(url="http://127.0.0.1:9/", tries=1)


class HttpBot:
    """Ask a bot of your own over HTTP: POST JSON, get JSON (--set url=...)."""

    Recipe: type[Record] = HttpRecipe
    scope = Scope()
    extras = ()
    by_hand = ("url",)
    patience = ("timeout", "tries", "wait")
    chunk = 1
    """An answer is kept as soon as it is there."""

    def __init__(self, recipe: HttpRecipe) -> None:
        self.recipe = recipe
        self.seen = recipe.seen
        self._target = _Target.of(recipe.url)
        self._brief: TaskInfo | None = None
        self._seed = 0

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # a bot has its own copy
        """Take the task and the seed; the bot is first called when there is something to ask."""
        self._brief, self._seed = info, seed

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Ask one sample after the other. Raises `BotError` for a bot that is down, too slow or answers nonsense."""
        assert self._brief is not None, "prepare comes first"
        return [self._ask(sample, self._brief) for sample in samples]

    def _ask(self, sample: Sample, info: TaskInfo) -> Answer:
        body = self._body(request_of(sample, info, self._seed))
        return answer_of(body, sample, info, f"the bot at {self.recipe.url}")

    def _body(self, request: bytes) -> bytes:
        """Return the body of the response, after as many tries as it takes."""
        wait = self.recipe.wait
        for _ in range(self.recipe.tries - 1):
            try:
                return self._target.post(request, self.recipe.timeout)
            except _TroubleError as trouble:
                time.sleep(min(trouble.wait if trouble.wait is not None else wait, _LONGEST_WAIT))
                wait *= 2
        try:
            return self._target.post(request, self.recipe.timeout)
        except _TroubleError as trouble:
            tried = f" ({self.recipe.tries} tries)" if self.recipe.tries > 1 else ""
            raise BotError(f"the bot at {self.recipe.url} {trouble}{tried}; is it running?") from trouble


class _TroubleError(Exception):
    """What may be over at the next try."""

    def __init__(self, what: str, wait: float | None = None) -> None:
        super().__init__(what)
        self.wait = wait


class _Target(Record, frozen=True):
    """Where requests go, taken apart."""

    url: str
    secure: bool
    host: str
    port: int | None
    path: str

    @classmethod
    def of(cls, url: str) -> _Target:
        """Take an address apart. Raises `UsageError` for what is none."""
        parts = checked_address(url, "http://127.0.0.1:8080/answer")
        assert parts.hostname is not None, "an address has a host"
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return cls(url, parts.scheme == "https", parts.hostname, parts.port, path)

    def post(self, body: bytes, seconds: float) -> bytes:
        """Return the body of the response to a POST.

        Redirects are not followed and no proxy is asked: what is sent goes to the named host and to no other. Raises
        `_TroubleError` for what may be over at the next try, `BotError` for a refusal.
        """
        kind = http.client.HTTPSConnection if self.secure else http.client.HTTPConnection
        connection = kind(self.host, self.port, timeout=seconds)
        late = threading.Event()
        sockets: list[socket.socket] = []
        deadline = threading.Timer(seconds, _cut, (sockets, late))  # a time-out of a socket is one of silence alone
        deadline.daemon = True
        deadline.start()
        try:
            connection.connect()
            sockets.append(connection.sock)  # the connection forgets it where the response ends with it
            connection.request("POST", self.path, body, _HEADERS)
            response = connection.getresponse()
            data = response.read(MAX_BYTES + 1)
            if not late.is_set():
                return self._judged(response, data)
        except (OSError, http.client.HTTPException) as error:
            if not late.is_set() and not isinstance(error, TimeoutError):
                raise _TroubleError(_cause(error)) from error
        finally:
            deadline.cancel()
            connection.close()
        raise _TroubleError(f"gave no answer in {seconds:g} s (--set timeout=...)")

    def _judged(self, response: http.client.HTTPResponse, data: bytes) -> bytes:
        status = response.status
        if status == _BUSY or status >= 500:
            asked = response.headers.get("Retry-After", "")
            wait = float(asked) if asked.isdecimal() else None
            raise _TroubleError(f"answers with status {status}: {excerpt(data)}", wait)
        if 300 <= status < 400:
            elsewhere = excerpt(response.headers.get("Location", "").encode("utf-8", "backslashreplace"))
            raise BotError(f"the bot at {self.url} sends elsewhere ({status}, to {elsewhere}), which is not followed")
        if status != http.client.OK:
            raise BotError(f"the bot at {self.url} refuses with status {status}: {excerpt(data)}")
        if len(data) > MAX_BYTES:
            raise BotError(f"the bot at {self.url} sends more than {MAX_BYTES >> 20} MB: {excerpt(data)}")
        length = response.headers.get("Content-Length", "")
        if length.isdecimal() and len(length) < _LONGEST_LENGTH and len(data) < int(length):
            raise _TroubleError(f"was cut off after {len(data)} of {length} bytes")
        return data


def _cut(sockets: Sequence[socket.socket], late: threading.Event) -> None:
    """End a call whose time is over, wherever it stands."""
    late.set()
    for one in sockets:
        with suppress(OSError):  # it has just ended
            one.shutdown(socket.SHUT_RDWR)


def _cause(error: OSError | http.client.HTTPException) -> str:
    if isinstance(error, http.client.IncompleteRead):
        return f"was cut off after {len(error.partial)} bytes"
    if isinstance(error, http.client.RemoteDisconnected):
        return "closed the connection without an answer"
    if isinstance(error, http.client.HTTPException):
        return f"answers in a way that is no HTTP ({type(error).__name__}: {excerpt(str(error).encode())})"
    return f"cannot be reached: {error.strerror or error}"
