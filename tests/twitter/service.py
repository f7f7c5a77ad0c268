"""The server: limits, refusals, failures, and all calls kept for a look afterwards."""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from socketserver import TCPServer
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import parse_qsl, urlsplit

from tests.twitter import v1, v2
from tests.twitter.door import APP, APP_TOKEN, TOKEN_ENDPOINT, USER, Door

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType

    from tests.twitter.door import Access
    from tests.twitter.world import World

__all__ = ["APP", "FAULTS", "USER", "Call", "Service", "Taken"]
FAULTS = ("drop", "cut", "slow", "500", "503", "429", "html")
"""Close without an answer; half a body; a body that trickles; statuses; 200 with a page that is no JSON."""


class Call(NamedTuple):
    """One call as it came in."""

    endpoint: str
    params: dict[str, str]
    authorization: str | None


class Taken(NamedTuple):
    """What becomes of a call."""

    status: int
    body: Any
    headers: dict[str, str]
    fault: str | None


class Service:
    """A running server. `faults` come first, one per call; afterwards each call fails with probability `rate`."""

    def __init__(
        self,
        world: World,
        *,
        faults: Iterable[str] = (),
        rate: float = 0.0,
        seed: int = 1,
        limits: Mapping[str, int] | None = None,
        window_seconds: float = 900.0,
        now: Callable[[], float] = time.time,
        token: str | None = None,
        access: Access | None = None,
        headers: bool = True,
        spelling: str = "tweet",
        short_pages: bool = False,
        trickle_seconds: float = 0.01,
    ) -> None:
        """`limits`: calls per window and family; `token`: what callers must bring; `headers`: limits are told.

        `access`: who is let in besides, see `Door`.
        """
        self.world = world
        self.faults = deque(faults)
        self.rate = rate
        self.chance = Random(seed)
        self.limits = dict(limits or {})
        self.window_seconds = window_seconds
        self.now = now
        self.token = token
        self._door = Door(access, now) if access else None
        self.headers = headers
        self.spelling = spelling
        self.short_pages = short_pages
        self.trickle_seconds = trickle_seconds
        self.calls: list[Call] = []
        self.refused = 0
        self.delivered = 0
        self._used: dict[str, tuple[int, float]] = {}
        self._lock = Lock()
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def signed(self) -> int:
        """How many calls were let in by their signature."""
        return self._door.signed if self._door else 0

    def endpoints(self) -> list[str]:
        """Return the endpoints in the order of the calls."""
        return [call.endpoint for call in self.calls]

    def left(self, family: str) -> tuple[int, int]:
        """Return what is left of a limit, and when it is fresh again."""
        used, start = self._used.get(family, (0, self.now()))
        if self.now() >= start + self.window_seconds:
            used, start = 0, self.now()
            self._used[family] = (used, start)
        return self.limits.get(family, 1_500) - used, int(start + self.window_seconds)

    def use(self, family: str) -> tuple[int, int] | None:
        """Count a call; return what is left afterwards and the reset, or nothing where nothing was left."""
        left, reset = self.left(family)
        if left <= 0:
            self.refused += 1
            return None
        used, start = self._used.get(family, (0, self.now()))
        self._used[family] = (used + 1, start)
        return left - 1, reset

    def _next_fault(self) -> str | None:
        if self.faults:
            fault = self.faults.popleft()
            return None if fault == "ok" else fault
        return self.chance.choice(FAULTS) if self.chance.random() < self.rate else None

    def answer(
        self, endpoint: str, params: dict[str, str], authorization: str | None
    ) -> tuple[int, Any, dict[str, str]]:
        """Return status, body and headers for a call."""
        if endpoint == TOKEN_ENDPOINT:
            return 200, {"token_type": "bearer", "access_token": APP_TOKEN}, {}
        module = v2 if endpoint.startswith("/2/") else v1
        family = module.family_of(endpoint)
        if self.token is not None and authorization != f"Bearer {self.token}":
            return 401, {"title": "Unauthorized", "detail": f"found {authorization}"}, {}
        left = self.use(family)
        if left is None:
            reset = str(self.left(family)[1])
            told = {"x-rate-limit-remaining": "0", "x-rate-limit-reset": reset} if self.headers else {}
            return 429, {"title": "Too Many Requests"}, told
        told = {"x-rate-limit-remaining": str(left[0]), "x-rate-limit-reset": str(left[1])} if self.headers else {}
        with self.world.lock:
            status, body, posts = module.answer(self, endpoint, params)
        self.delivered += posts
        return status, body, told

    def take(self, method: str, path: str, body: str, authorization: str | None) -> Taken:
        """Note a call and decide what becomes of it."""
        parts = urlsplit(path)
        endpoint, params = parts.path, dict(parse_qsl(parts.query, keep_blank_values=True))
        with self._lock:
            self.calls.append(Call(endpoint, params, authorization))
            fault = self._next_fault()
            if fault in ("500", "503", "429"):
                return Taken(int(fault), {"title": "trouble"}, {}, fault)
            if fault == "drop":
                return Taken(0, None, {}, fault)
            refused = self._door.refusal(method, self.url + path, body, authorization) if self._door else None
            if refused:
                return Taken(*refused, {}, fault)
            return Taken(*self.answer(endpoint, params, authorization), fault)


class _Server(ThreadingHTTPServer):
    """The library's server, without looking up its own name, which takes seconds where there is no network."""

    daemon_threads = True

    def __init__(self, service: Service) -> None:
        self.service = service
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of callers that were killed, or gave up, while they were answered."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def server_bind(self) -> None:
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "localhost", int(self.server_address[1])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        """Say nothing."""

    def do_POST(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        taken = self.server.service.take(self.command, self.path, body, self.headers.get("Authorization"))
        if taken.fault == "drop":
            self.close_connection = True
            return
        data = b"<html>over capacity</html>" if taken.fault == "html" else json.dumps(taken.body).encode()
        try:
            self.send_response(taken.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            for name, value in taken.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self._send(data, taken.fault)
        except OSError:  # the collector was killed, or gave up, meanwhile
            self.close_connection = True

    def _send(self, data: bytes, fault: str | None) -> None:
        if fault == "cut":
            self.wfile.write(data[: len(data) // 2])
            self.close_connection = True
        elif fault == "slow":
            step = max(1, len(data) // 4)
            for at in range(0, len(data), step):
                self.wfile.write(data[at : at + step])
                self.wfile.flush()
                time.sleep(self.server.service.trickle_seconds)
        else:
            self.wfile.write(data)
