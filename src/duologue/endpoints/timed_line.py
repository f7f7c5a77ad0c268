"""A connection to a server whose calls end when their time is over, wherever they stand.

The time-outs of httpx are of silence alone: a server that never falls silent would hold a call for as long as it likes,
in the head of its response too, before anything of it is handed on. So a timer shuts the socket.
"""

from __future__ import annotations

import socket
import weakref
from contextlib import contextmanager, suppress
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any

from duologue.core.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OPENED = ("connect_tcp.complete", "start_tls.complete")
"""Events of httpx with a socket."""


class TimedLine:
    """One connection, kept open from call to call, which one thread uses at a time."""

    def __init__(self, headers: Mapping[str, str], seconds: float, verify: Any, *, proxies: bool) -> None:
        httpx = need("httpx", "endpoint")
        self._client = httpx.Client(
            headers=headers,
            timeout=httpx.Timeout(seconds, pool=None),
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
            follow_redirects=False,
            trust_env=proxies,
            verify=verify,
        )
        weakref.finalize(self, self._client.close)
        self._seconds = seconds
        self._socket: socket.socket | None = None
        self._lock = Lock()
        self._call = 0
        self.late = False
        """Whether the time of the last call was over before its end."""

    @contextmanager
    def post(self, url: str, body: bytes) -> Iterator[Any]:
        """Send a request, and hand on the response while it comes.

        What httpx raises is raised, also where the timer broke the call off: then it is `late`.
        """
        self.late = False
        timer = Timer(self._seconds, self._cut, (self._call,))
        timer.daemon = True
        timer.start()
        try:
            with self._client.stream("POST", url, content=body, extensions={"trace": self._trace}) as response:
                yield response
        finally:
            with self._lock:
                self._call += 1
            timer.cancel()

    def _trace(self, event: str, told: Mapping[str, Any]) -> None:
        if event.endswith(_OPENED):
            with self._lock:
                self._socket = told["return_value"].get_extra_info("socket")
                if self.late:
                    self._shut()

    def _cut(self, call: int) -> None:
        with self._lock:
            if call == self._call:  # else it has just ended
                self.late = True
                self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
