"""HTTP server for one system: a POST with a request, a response with its answer.

One thread waits for all clients, so that a slow one costs a few kilobytes and no more; answers are made in threads of
their own. A request has a deadline from the moment the server begins to wait for it. Where places run out, the client
that has been waited for longest loses its place, first of whoever holds most of them: honest requests come whole in
milliseconds, and clients that drip them are the ones that are waited for.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import threading
from collections import Counter
from contextlib import suppress
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address
from time import monotonic
from typing import TYPE_CHECKING

from duologue.core.errors import UsageError
from duologue.web.requests import HttpError, check_host, length_of, read_head

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import Collection

    from duologue.core.protocols import Service

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
ANSWERS = 32
"""Answers that are made at once; others wait for their turn."""
FAREWELL_SECONDS = 10.0
"""How long a stopping server waits for the answers under way."""

_LINGER_SECONDS = 2.0
"""How long what a refused client still sends is thrown away."""
_BACKLOG = 1024
"""Clients that may wait while others are let in: a crowd that comes at once."""

_LOG = logging.getLogger(__name__)


class _Client:
    """A connection: who is there, and since when it is waited for."""

    def __init__(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.who = _who(writer)
        self.waiting_since: float | None = monotonic()
        """`None` while its answer is made: such a client never loses its place."""

    async def send(self, status: HTTPStatus, body: bytes, *, last: bool, **fields: str) -> None:
        """Send an answer in one piece."""
        head = {
            "Server": "duologue",
            "Content-Type": "application/json; charset=utf-8",
            "Content-Length": str(len(body)),
            "X-Content-Type-Options": "nosniff",
            **fields,
            **({"Connection": "close"} if last else {}),
        }
        lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in head.items())]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await self.writer.drain()

    async def linger(self) -> None:
        """Hang up; what is still sent is thrown away for a while, as unread bytes would reset the connection."""
        with suppress(OSError):
            self.writer.write_eof()
        with suppress(TimeoutError, OSError):
            async with asyncio.timeout(_LINGER_SECONDS):
                while await self.reader.read(1 << 16):
                    pass


class Server:
    """Serves one service to many clients; a connection may carry many requests, one after another.

    Every path is the same. Listens from its making on, at `port` (0: any free one; see `address`). `hosts` are the
    names that requests may be meant for beside `localhost`, `host` and addresses in figures. Raises `UsageError` for
    an address that cannot be had.
    """

    def __init__(
        self, service: Service, host: str = "127.0.0.1", port: int = 0, *, hosts: Collection[str] = ()
    ) -> None:
        self.service = service
        self.hosts = frozenset({"localhost", host.lower(), *(name.lower() for name in hosts)})
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((host, port))
            self._socket.listen(_BACKLOG)
        except (OSError, OverflowError) as error:
            self._socket.close()
            raise UsageError(f"cannot listen at {host}, port {port}: {error}; choose other --host or --port") from error
        named, self.server_port = self._socket.getsockname()[:2]
        self.address = f"http://[{named}]:{self.server_port}" if ":" in named else f"http://{named}:{self.server_port}"
        """Where clients find the server, such as `http://127.0.0.1:8200`."""
        self._clients: set[_Client] = set()
        self._stopping = threading.Event()
        self._wake: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None

    def run(self) -> None:
        """Serve until `shutdown` or Ctrl-C; then answer what is under way, and let go of the port."""
        try:
            with asyncio.Runner() as runner:
                runner.run(self._serve())
        finally:
            self.server_close()

    def shutdown(self) -> None:
        """Make `run` end; may be called by any thread, and before `run`."""
        self._stopping.set()
        if self._wake is not None:
            loop, stop = self._wake
            with suppress(RuntimeError):  # it has ended already
                loop.call_soon_threadsafe(stop.set)

    def server_close(self) -> None:
        """Let go of the port."""
        self._socket.close()

    async def _serve(self) -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        self._answers = asyncio.Semaphore(ANSWERS)
        self._wake = loop, stop
        if self._stopping.is_set():
            stop.set()
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(one) == signal.SIG_IGN:  # as `nohup` has it
                continue
            with suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread, or no such signals
                loop.add_signal_handler(one, stop.set)
        server = await asyncio.start_server(self._welcome, sock=self._socket, limit=LARGEST_HEAD)
        await stop.wait()
        _LOG.info("stopping")
        server.close()
        for client in self._clients:
            if client.waiting_since is not None:
                client.writer.close()
        until = monotonic() + FAREWELL_SECONDS
        while self._clients and monotonic() < until:
            await asyncio.sleep(0.02)

    async def _welcome(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Serve one client to its end, if there is a place for it."""
        client = _Client(reader, writer)
        try:
            if not self._make_room(client.who):
                async with asyncio.timeout(_LINGER_SECONDS):
                    await client.send(HTTPStatus.SERVICE_UNAVAILABLE, b"", last=True, **{"Retry-After": "1"})
                    await client.linger()
                return
            self._clients.add(client)
            while await self._exchange(client):
                client.waiting_since = monotonic()
        except (TimeoutError, OSError, asyncio.IncompleteReadError):
            _LOG.debug("a client was dropped: %s", client.who)
        finally:
            self._clients.discard(client)
            writer.close()

    def _make_room(self, who: str) -> bool:
        """Whether one more client of this address can be let in; one that is waited for may lose its place for it."""
        counts = Counter(client.who for client in self._clients)
        if counts[who] >= CONNECTIONS_PER_CLIENT:
            return self._dismiss(who)
        if len(self._clients) < CONNECTIONS:
            return True
        return any(self._dismiss(greedy) for greedy, _ in counts.most_common())

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
        client.writer.close()
        return True

    async def _exchange(self, client: _Client) -> bool:
        """Read one request and answer it; whether another may follow."""
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                body, persistent = await self._request(client)
        except HttpError as refused:
            method_not_allowed = refused.status == HTTPStatus.METHOD_NOT_ALLOWED
            async with asyncio.timeout(_LINGER_SECONDS):
                fields = {"Allow": "POST"} if method_not_allowed else {}
                await client.send(refused.status, self.service.refusal, last=True, **fields)
                await client.linger()
            return False
        client.waiting_since = None
        status, answer = await self._answer(body)
        persistent = persistent and not self._stopping.is_set()
        async with asyncio.timeout(REQUEST_SECONDS):
            await client.send(status, answer, last=not persistent)
        return persistent

    async def _request(self, client: _Client) -> tuple[bytes, bool]:
        """Return the body of the next request, and whether the client wants to ask again. Raises `HttpError`."""
        try:
            head = read_head(await client.reader.readuntil(b"\r\n\r\n"))
        except asyncio.LimitOverrunError as error:
            raise HttpError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE) from error
        if head.method != "POST":
            raise HttpError(HTTPStatus.METHOD_NOT_ALLOWED)
        length = length_of(head, LARGEST_BODY)
        check_host(head, self.hosts)
        if head.waits:
            client.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return await client.reader.readexactly(length), head.persistent

    async def _answer(self, body: bytes) -> tuple[HTTPStatus, bytes]:
        """Return the answer to one request, made in a thread that nobody waits for once the server has stopped."""
        loop = asyncio.get_running_loop()
        made: asyncio.Future[tuple[HTTPStatus, bytes]] = loop.create_future()

        def deliver(found: tuple[HTTPStatus, bytes]) -> None:
            if not made.done():
                made.set_result(found)

        def work() -> None:
            found = self.respond(body)
            with suppress(RuntimeError):  # the server has stopped
                loop.call_soon_threadsafe(deliver, found)

        async with self._answers:
            try:
                threading.Thread(target=work, daemon=True).start()
            except RuntimeError:
                _LOG.exception("there is no thread to be had for an answer")
                return HTTPStatus.SERVICE_UNAVAILABLE, self.service.refusal
            return await made

    def respond(self, body: bytes) -> tuple[HTTPStatus, bytes]:
        """Return the status and the service's answer to one request; a service that fails does not stop the server."""
        try:
            return HTTPStatus.OK, self.service.respond(body)
        except Exception:  # noqa: BLE001  # a system may fail in any way; it is logged, and others are still served
            _LOG.exception("the system failed on a request of %s bytes", len(body))
            return HTTPStatus.INTERNAL_SERVER_ERROR, self.service.refusal


def _who(writer: StreamWriter) -> str:
    """Return whom limits count a connection for: its address, or the network of 64 bits that it stands in."""
    peer = writer.get_extra_info("peername")
    if not peer:
        return ""
    try:
        address = ip_address(str(peer[0]).partition("%")[0])
    except ValueError:
        return str(peer[0])
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Address(int(address) >> 64 << 64))
    return str(address)
