"""A request and its answer, between a connection and an application (ASGI).

The request is here as a whole and strictly read before, so that nothing is left of reading it; the answer is written in
as few pieces as it comes in, its head with its first piece where its length is told.
"""

from __future__ import annotations

import asyncio
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from duologue.web.requests import Head

    Message = dict[str, Any]
    Fields = Iterable[tuple[bytes, bytes]]
    App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]

_LOG = logging.getLogger(__name__)
_FIRST_LINES = {one.value: f"HTTP/1.1 {one.value} {one.phrase}\r\n".encode() for one in HTTPStatus}
_BODILESS = frozenset({204, 304})
"""Answers that never have a body, nor tell of one."""


class AnswerWriter(Protocol):
    """What an exchange needs of its connection."""

    def write(self, data: bytes) -> None:
        """Send bytes."""
        ...

    def hang_up(self) -> None:
        """End the connection after what was sent."""
        ...

    async def drain(self) -> None:
        """Return when what was sent is mostly gone."""
        ...

    def answered(self) -> None:
        """Be told that the whole answer was sent."""
        ...


class Exchange:
    """One request to an application, and what it answers; `fields` are those of every answer."""

    def __init__(self, head: Head, body: bytes, client: AnswerWriter, fields: Fields) -> None:
        self.head, self._client, self._fields = head, client, fields
        self._body: bytes | None = body
        self._end: asyncio.Event | None = None
        """Set when there is nothing more to receive; made where somebody waits for it."""
        self.keep_alive = head.minor == "1" and "close" not in head.tokens("connection")
        self.complete = self.gone = False
        self._begun = False
        self._held = b""
        """The head of the answer, while it waits for the first piece of its body."""
        self._bodiless = head.method == "HEAD"
        self._chunked = False
        self._left: int | None = None
        """Bytes of the body that were told and not sent yet."""

    def scope(self, addresses: Message) -> Message:
        """Return what ASGI says of a request; `addresses` are those of client and server."""
        path, _, query = self.head.target.partition("?")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": f"1.{self.head.minor}",
            "scheme": "http",
            "method": self.head.method,
            "root_path": "",
            "path": unquote(path),
            "raw_path": path.encode("ascii"),
            "query_string": query.encode("ascii"),
            "headers": self.head.passed_on(),
            "state": {},
            **addresses,
        }

    async def run(self, app: App, addresses: Message) -> None:
        """Have the request answered; where that fails, the client gets an error, or is hung up on."""
        try:
            await app(self.scope(addresses), self.receive, self.send)
        except BaseException:  # noqa: BLE001  # whatever it is, it ends with this request
            _LOG.exception("the application failed on a request")
        if self.complete or self.gone:
            return
        if not self._begun:
            self.keep_alive = False
            self._begin({"status": 500, "headers": [(b"content-length", b"0")]})
            self._write(b"", more=False)
        else:
            self._client.hang_up()

    async def receive(self) -> Message:
        """Return the request; after that, that the client has left, when it has or the answer is sent."""
        if self._body is not None and not self.gone:
            message = {"type": "http.request", "body": self._body, "more_body": False}
            self._body = None
            return message
        if not (self.gone or self.complete):
            self._end = self._end or asyncio.Event()
            await self._end.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Send the head of an answer, or a piece of its body. Raises `RuntimeError` for what cannot be sent."""
        await self._client.drain()
        if self.gone:
            return
        kind = message["type"]
        if not self._begun and kind == "http.response.start":
            self._begin(message)
        elif self._begun and not self.complete and kind == "http.response.body":
            self._write(message.get("body", b""), more=message.get("more_body", False))
        else:
            raise RuntimeError(f"'{kind}' was sent out of its turn")

    def leave(self) -> None:
        """Be told that the client has left."""
        self.gone = True
        self._wake()

    def _begin(self, message: Message) -> None:
        status, fields = message["status"], [*self._fields, *message.get("headers", ())]
        told = {name.lower(): value for name, value in fields}
        length = told.get(b"content-length")
        left = None if length is None else int(length)
        bodiless = self._bodiless or status in _BODILESS
        endless = left is None and not bodiless
        chunked = endless and self.head.minor == "1"  # else the body ends where the connection does
        if chunked:
            fields.append((b"transfer-encoding", b"chunked"))
        close = told.get(b"connection", b"").lower() == b"close" or not self.keep_alive or (endless and not chunked)
        if close and b"connection" not in told:
            fields.append((b"connection", b"close"))
        first = _FIRST_LINES.get(status) or b"HTTP/1.1 %d \r\n" % status
        head = b"".join([first, *(b"%b: %b\r\n" % field for field in fields), b"\r\n"])
        lines = len(fields) + 2
        if head.count(b"\n") != lines or head.count(b"\r") != lines or b"\0" in head:
            raise RuntimeError("a field of the answer holds a line break or a zero byte")
        self._begun, self._left, self._bodiless, self._chunked = True, left, bodiless, chunked
        self.keep_alive = not close
        if left is None:
            self._client.write(head)  # a stream: whoever waits for its first piece knows that it has begun
        else:
            self._held = head

    def _write(self, body: bytes, *, more: bool) -> None:
        if self._bodiless:
            data = b""
        elif self._chunked:
            data = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            data += b"" if more else b"0\r\n\r\n"
        else:
            data = body
            if self._left is not None:
                self._left -= len(body)
                if self._left < 0 or (self._left and not more):
                    raise RuntimeError("the body of the answer is not as long as its head says")
        data, self._held = self._held + data, b""
        if data:
            self._client.write(data)
        if not more:
            self.complete = True
            self._wake()
            self._client.answered()

    def _wake(self) -> None:
        if self._end is not None:
            self._end.set()
