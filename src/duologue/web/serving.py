"""A system behind HTTP: one POST, one answer. Whatever the messages look like is the task's business."""

from __future__ import annotations

import logging
import socket
import threading
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from time import monotonic
from typing import TYPE_CHECKING, Any

from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from duologue.core.protocols import Service

LARGEST_BODY = 1 << 20
"""Bytes of the longest request that is read: a history of some hundred thousand characters."""
CONNECTIONS = 256
"""Clients served at once; one more is told to come again."""
IDLE_SECONDS = 30
"""How long a client may stay silent."""
FAREWELL_SECONDS = 10
"""How long a stopping server waits for the answers under way."""

_LINGER_SECONDS = 2
"""How long what a refused client still sends is thrown away."""
_FULL_SECONDS = 0.2
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

_LOG = logging.getLogger(__name__)


class Server(ThreadingHTTPServer):
    """Serves one service to many clients, a thread each; a connection may carry many requests.

    Every path is the same. Listens from its making on, at `port` (0: any free one; see `address`). Raises `UsageError`
    for an address that cannot be had.
    """

    daemon_threads = True
    request_queue_size = 128
    """Clients that may wait while others are let in: the library's five refuse a crowd that comes at once."""

    def __init__(self, service: Service, host: str = "127.0.0.1", port: int = 0) -> None:
        self.service = service
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._room = threading.BoundedSemaphore(CONNECTIONS)
        self._working = 0
        self._quiet = threading.Condition()
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            raise UsageError(f"cannot listen at {host}, port {port}: {error}; choose other --host or --port") from error

    @property
    def address(self) -> str:
        """Where clients find the server, such as `http://127.0.0.1:8200`."""
        host, port = self.server_address[:2]
        named = host.decode() if isinstance(host, bytes | bytearray) else str(host)
        return f"http://[{named}]:{port}" if ":" in named else f"http://{named}:{port}"

    def run(self) -> None:
        """Serve until `shutdown` or Ctrl-C; then answer what is under way, and let go of the port."""
        try:
            self.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            _LOG.info("stopping")
        finally:
            self.server_close()
            with self._quiet:
                self._quiet.wait_for(lambda: not self._working, FAREWELL_SECONDS)

    def server_bind(self) -> None:
        """Take the port, without the library's look-up of this machine's name, which may take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "duologue", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give a client a thread, or tell it to come again when there are too many."""
        if not self._room.acquire(blocking=False):
            with suppress(OSError):
                request.settimeout(_FULL_SECONDS)
                request.recv(1 << 16)  # what is left unread would reset the connection, and the answer with it
                request.sendall(_FULL)
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:  # there was no thread to be had, or Ctrl-C came: nobody else gives the place back
            self._room.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve one client to its end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002  # the library's signature
        """Log what went wrong with a client; one that went away is no error."""
        _LOG.debug("a client was dropped: %s", client_address, exc_info=True)

    def respond(self, body: bytes) -> tuple[HTTPStatus, bytes]:
        """Return the status and the service's answer to one request; a service that fails does not stop the server."""
        try:
            return HTTPStatus.OK, self.service.respond(body)
        except Exception:  # noqa: BLE001  # a system may fail in any way; it is logged, and others are still served
            _LOG.exception("the system failed on a request of %s bytes", len(body))
            return HTTPStatus.INTERNAL_SERVER_ERROR, self.service.refusal

    def begin(self) -> None:
        """Count a request that is being answered."""
        with self._quiet:
            self._working += 1

    def end(self) -> None:
        """Count a request that has its answer."""
        with self._quiet:
            self._working -= 1
            self._quiet.notify_all()


class _Handler(BaseHTTPRequestHandler):
    """Reads requests of bounded size and sends the service's answers."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "duologue"
    sys_version = ""
    timeout = IDLE_SECONDS
    wbufsize = -1  # head and body leave in one packet
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Answer one request."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or "Transfer-Encoding" in self.headers:
            self._refuse(HTTPStatus.LENGTH_REQUIRED)
        elif len(length) > 12 or int(length) > LARGEST_BODY:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            body = self.rfile.read(int(length))
            if len(body) < int(length):  # the client went away
                self.close_connection = True
                return
            self.server.begin()
            try:
                self._send(*self.server.respond(body))
            finally:
                self.server.end()

    def do_GET(self) -> None:
        """Say that only POST is answered."""
        self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, Allow="POST")

    do_HEAD = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_GET  # noqa: N815  # the library's names

    def _refuse(self, status: HTTPStatus, **headers: str) -> None:
        """Send a refusal and hang up; what the client still sends is thrown away for a while.

        A connection that is closed on unread bytes is reset, and the refusal may be lost with it.
        """
        self.close_connection = True
        body = b"" if self.command == "HEAD" else self.server.service.refusal
        self._send(status, body, Connection="close", **headers)
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(_LINGER_SECONDS / 4)
            until = monotonic() + _LINGER_SECONDS
            while monotonic() < until and self.connection.recv(1 << 16):
                pass

    def _send(self, status: HTTPStatus, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the library's name
        """Keep the library from writing to the terminal."""
        _LOG.debug(format, *args)
