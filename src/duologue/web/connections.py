"""Connections of many clients, and the places that they have.

A request is handed on when it is here as a whole, and strictly read: slow clients cost a few kilobytes and no more.
It has a deadline from the moment the server begins to wait for it. Where places run out, the client that has been
waited for longest loses its place, first of whoever holds most of them: honest requests come whole in milliseconds,
and clients that drip them are the ones that are waited for.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from duologue.web.access import client_of
from duologue.web.errors import error_body
from duologue.web.requests import HttpError, check_host, length_of, read_head

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from duologue.web.requests import Head

LARGEST_BODY = 1 << 20
"""Bytes of the longest request that is read: a history of some hundred thousand characters."""
LARGEST_HEAD = 1 << 14
"""Bytes of the longest head of a request."""
CONNECTIONS = 512
"""Clients served at once; where one more comes, the one longest waited for leaves, or the new one comes again."""
CONNECTIONS_PER_CLIENT = 128
"""The same for one address (a network of 64 bits, for IPv6)."""
REQUEST_SECONDS = 15.0
"""How long a client may take until its request is whole, from connecting or from its last answer on."""

UPLOAD_PATH = "/upload"
"""End of the paths that take long requests."""
UPLOADS = 4
"""Requests longer than `LARGEST_BODY` that are received at once, where a server takes any."""
UPLOAD_RATE = 100_000
"""Bytes a second that must come of such a request; its deadline is that much later."""

_LINGER_SECONDS = 2.0
"""How long what a refused client still sends is thrown away: unread bytes would reset the connection."""
_END = b"\r\n\r\n"
_REASONS = {
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: f"The body is longer than {LARGEST_BODY} bytes.",
    HTTPStatus.LENGTH_REQUIRED: "The length of the body must be told, once and in figures (Content-Length).",
    HTTPStatus.MISDIRECTED_REQUEST: "The request is meant for another host; the server allows more with --allow-host.",
    HTTPStatus.FORBIDDEN: "Pages of another origin may not ask.",
    HTTPStatus.SERVICE_UNAVAILABLE: "There is no place left; come again.",
}


def json_refusal(status: HTTPStatus) -> tuple[str, bytes]:
    """Return media type and body of the answer to a request that is refused."""
    return "application/json", error_body(status, _REASONS.get(status, ""))


class ServerRules(NamedTuple):
    """How a server treats its clients where it is more than an API."""

    largest_upload: int = 0
    """Bytes of the longest request to a path that ends in `/upload`."""
    proxies: tuple[str, ...] = ()
    """Addresses and networks of clients that stand for many, and may have all places."""
    refusal: Callable[[HTTPStatus], tuple[str, bytes]] = json_refusal
    """Media type and body of the answer to a request that is refused before anything else sees it."""


class ConnectionPlaces:
    """Who is connected, and who leaves where there are too many; `hosts` are the names that requests may be for."""

    def __init__(self, hosts: Collection[str], rules: ServerRules | None = None) -> None:
        self.hosts = hosts
        self.rules = rules or ServerRules()
        self._proxies = tuple(ip_network(one) for one in self.rules.proxies)
        self._clients: set[Connection] = set()
        self._uploaders: set[Connection] = set()

    def longest(self, head: Head) -> int:
        """Return the bytes of the longest body that a request may have."""
        upload = head.target.partition("?")[0].endswith(UPLOAD_PATH)
        return max(LARGEST_BODY, self.rules.largest_upload) if upload else LARGEST_BODY

    def begin_upload(self, client: Connection) -> bool:
        """Whether there is a place for a long request."""
        if len(self._uploaders) >= UPLOADS:
            return False
        self._uploaders.add(client)
        return True

    def end_upload(self, client: Connection) -> None:
        """Give the place of a long request back."""
        self._uploaders.discard(client)

    def enter(self, client: Connection) -> bool:
        """Whether one more client is let in; one that is waited for may lose its place for it."""
        found = self._make_room(client.who)
        if found:
            self._clients.add(client)
        return found

    def leave(self, client: Connection) -> None:
        """Give a place back."""
        self._clients.discard(client)
        self._uploaders.discard(client)

    def _make_room(self, who: str) -> bool:
        counts = Counter(client.who for client in self._clients)
        if counts[who] >= CONNECTIONS_PER_CLIENT and not self._is_proxy(who):
            return self._dismiss(who)
        if len(self._clients) < CONNECTIONS:
            return True
        return any(self._dismiss(greedy) for greedy, _ in counts.most_common())

    def _is_proxy(self, who: str) -> bool:
        try:
            address = ip_address(who)
        except ValueError:
            return False
        return any(address in one for one in self._proxies)

    def _dismiss(self, who: str) -> bool:
        """Hang up on the client of an address that has been waited for longest; whether there is one."""
        waited = [
            (client.waiting_since, id(client), client)
            for client in self._clients
            if client.who == who and client.waiting_since is not None
        ]
        if not waited:
            return False
        client = min(waited)[2]
        self._clients.discard(client)
        client.transport.abort()
        return True


class GuardedConfig(Config):
    """How uvicorn serves an application behind `Connection`."""

    def __init__(self, app: Any, places: ConnectionPlaces, *, farewell: float) -> None:
        super().__init__(
            app,
            http=Connection,
            loop="asyncio",
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            server_header=False,
            headers=[("server", "duologue"), ("x-content-type-options", "nosniff")],
            proxy_headers=False,
            timeout_keep_alive=int(REQUEST_SECONDS) + 1,
            timeout_graceful_shutdown=int(farewell),
        )
        self.places = places


class Connection(HttpToolsProtocol):
    """A connection: what is there of its next request, and since when it is waited for."""

    def __init__(self, config: Config, *rest: Any, **more: Any) -> None:
        super().__init__(config, *rest, **more)
        assert isinstance(config, GuardedConfig)
        self._places = config.places
        self._buffer = bytearray()
        self._sought = 0
        """How far the buffer has been searched for the end of a head."""
        self._needed: tuple[bytes, int] | None = None
        """The head of the request that is being read, and the bytes of its body."""
        self._refused = False
        self._timer: asyncio.TimerHandle | None = None
        self.who = ""
        self.waiting_since: float | None = None
        """`None` while its answer is made: such a client never loses its place."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a client in, if there is a place for it."""
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        self.who = client_of(self.client[0]) if self.client else ""
        if self._places.enter(self):
            self._await()
        else:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "Retry-After: 1\r\n")

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        self._places.leave(self)
        self._cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Gather a request; bytes of the next one wait until this one is answered."""
        if self._refused:
            return
        self._buffer += data
        if self.waiting_since is not None:
            self._take()
        elif len(self._buffer) > LARGEST_HEAD + LARGEST_BODY:
            self.transport.abort()  # a crowd of requests in one go

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._await()
            self.loop.call_soon(self._take)

    def shutdown(self) -> None:
        """Let the client go, after its answer if one is under way."""
        if self.waiting_since is not None or self._refused:
            self.transport.abort()
        else:
            super().shutdown()

    def _await(self, more: float = 0.0) -> None:
        self._cancel()
        self.waiting_since = monotonic()
        self._timer = self.loop.call_later(REQUEST_SECONDS + more, self.transport.abort)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _take(self) -> None:
        """Hand the next request on, if it is whole."""
        if self.waiting_since is None or self.transport.is_closing():
            return
        try:
            if self._needed is None and not self._take_head():
                return
        except HttpError as refused:
            self._refuse(refused.status)
            return
        assert self._needed is not None
        head, length = self._needed
        if len(self._buffer) < length:
            return
        request = head + bytes(self._buffer[:length])
        del self._buffer[:length]
        self._sought, self._needed, self.waiting_since = 0, None, None
        self._cancel()
        self._places.end_upload(self)
        super().data_received(request)

    def _take_head(self) -> bool:
        """Whether a head is here; it is read then. Raises `HttpError` for one that is refused."""
        end = self._buffer.find(_END, max(0, self._sought - len(_END)), LARGEST_HEAD)
        self._sought = len(self._buffer)
        if end < 0:
            if len(self._buffer) >= LARGEST_HEAD:
                raise HttpError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
            return False
        head = read_head(bytes(self._buffer[: end + len(_END)]))
        length = length_of(head, self._places.longest(head))
        check_host(head, self._places.hosts)
        if length > LARGEST_BODY:
            if not self._places.begin_upload(self):
                raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE)
            self._await(length / UPLOAD_RATE)
        del self._buffer[: end + len(_END)]
        if head.waits and len(self._buffer) < length:
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._needed = head.spelled(), length
        return True

    def _refuse(self, status: HTTPStatus, fields: str = "") -> None:
        """Answer with an error and hang up; what is still sent is thrown away for a while."""
        self._refused, self.waiting_since = True, None
        self._buffer.clear()
        media_type, body = self._places.rules.refusal(status)
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\nServer: duologue\r\n{fields}"
            f"Content-Type: {media_type}\r\nContent-Length: {len(body)}\r\n"
            "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        with suppress(OSError, NotImplementedError):
            self.transport.write_eof()
        self._cancel()
        self._timer = self.loop.call_later(_LINGER_SECONDS, self.transport.abort)
