from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from duologue.web.exchange import Exchange
from duologue.web.requests import read_head

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

FIELDS = [(b"server", b"duologue")]


class Wire:
    """Notes what is written, and what else an exchange asks of its connection."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.closed = self.ended = False

    def write(self, data: bytes) -> None:
        self.pieces.append(data)

    def hang_up(self) -> None:
        self.closed = True

    async def drain(self) -> None:
        """There is always room."""

    def answered(self) -> None:
        self.ended = True


def exchange(wire: Wire, method: str = "POST", minor: str = "1", **fields: str) -> Exchange:
    lines = [f"{name}: {value}" for name, value in {"Host": "localhost", **fields}.items()]
    head = "\r\n".join([f"{method} /a%20b?c=%20 HTTP/1.{minor}", *lines, "", ""]).encode()
    return Exchange(read_head(head), b"said", wire, FIELDS)


def answering(*pieces: bytes, status: int = 200, **fields: str) -> App:
    """An application that answers with these pieces."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        told = [(name.replace("_", "-").encode(), value.encode()) for name, value in fields.items()]
        await send({"type": "http.response.start", "status": status, "headers": told})
        for number, piece in enumerate(pieces, start=1):
            await send({"type": "http.response.body", "body": piece, "more_body": number < len(pieces)})

    return app


def answered(one: Exchange, wire: Wire, app: App) -> list[bytes]:
    asyncio.run(one.run(app, {"client": ("127.0.0.1", 1), "server": None}))
    return wire.pieces


def test_an_answer_of_a_told_length_is_one_piece() -> None:
    wire = Wire()
    one = exchange(wire)
    said = b"HTTP/1.1 200 OK\r\nserver: duologue\r\ncontent-length: 2\r\n\r\nhi"
    assert answered(one, wire, answering(b"hi", content_length="2")) == [said]
    assert (wire.ended, wire.closed, one.keep_alive) == (True, False, True)


def test_a_stream_tells_its_head_at_once_and_then_each_piece() -> None:
    wire = Wire()
    found = answered(exchange(wire), wire, answering(b"one", b"", b"two", b""))
    assert found == [
        b"HTTP/1.1 200 OK\r\nserver: duologue\r\ntransfer-encoding: chunked\r\n\r\n",
        b"3\r\none\r\n",
        b"3\r\ntwo\r\n",
        b"0\r\n\r\n",
    ]


@pytest.mark.parametrize(("minor", "field"), [("0", {}), ("1", {"Connection": "x, Close"})])
def test_the_connection_ends_where_the_client_wants_no_other_request(minor: str, field: dict[str, str]) -> None:
    wire = Wire()
    one = exchange(wire, minor=minor, **field)
    answered(one, wire, answering(b"h", b"i"))
    assert not one.keep_alive
    assert b"\r\nconnection: close\r\n" in wire.pieces[0]
    assert wire.pieces[1:] == ([b"h", b"i"] if minor == "0" else [b"1\r\nh\r\n", b"1\r\ni\r\n0\r\n\r\n"])


def test_what_has_no_body_gets_none() -> None:
    for method, status, told in (("HEAD", 200, {"content_length": "2"}), ("GET", 204, {}), ("GET", 304, {})):
        wire = Wire()
        (head,) = answered(exchange(wire, method), wire, answering(b"hi", status=status, **told))
        assert head.endswith(b"\r\n\r\n")
        assert b"chunked" not in head
        assert wire.ended


def test_an_application_sees_the_request_and_then_that_it_is_over() -> None:
    wire = Wire()
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.extend([scope, await receive()])
        waiting = asyncio.ensure_future(receive())
        await asyncio.sleep(0)
        assert not waiting.done()
        await answering(b"", content_length="0")(scope, receive, send)
        seen.extend([await waiting, await receive()])

    answered(exchange(wire, Upgrade="x", Cookie="y"), wire, app)
    scope, request, *over = seen
    assert (scope["path"], scope["raw_path"], scope["query_string"]) == ("/a b", b"/a%20b", b"c=%20")
    assert scope["headers"] == [(b"host", b"localhost"), (b"cookie", b"y")]
    assert scope["client"] == ("127.0.0.1", 1)
    assert request == {"type": "http.request", "body": b"said", "more_body": False}
    assert over == [{"type": "http.disconnect"}] * 2


def test_a_client_that_leaves_is_told_of_and_gets_nothing_more() -> None:
    wire = Wire()
    one = exchange(wire)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        waiting = asyncio.ensure_future(receive())
        await asyncio.sleep(0)
        one.leave()
        assert await waiting == {"type": "http.disconnect"}
        await answering(b"hi")(scope, receive, send)

    assert answered(one, wire, app) == []


@pytest.mark.parametrize(
    "app",
    [
        answering(b"hi", content_length="2", location="/\r\nset-cookie: a=b"),
        answering(b"hi", content_length="2", location="/\nx"),
        answering(b"hi", content_length="2", location="/\0"),
        answering(b"hi", location="/\r\nset-cookie: a=b"),
        answering(content_length="x"),
    ],
)
def test_a_field_that_would_be_read_as_others_is_never_sent(app: App, caplog: pytest.LogCaptureFixture) -> None:
    wire = Wire()
    (said,) = answered(exchange(wire), wire, app)
    assert said.startswith(b"HTTP/1.1 500 ")
    assert said.endswith(b"\r\n\r\n")
    assert b"cookie" not in said
    assert b"\r\nconnection: close\r\n" in said
    assert "the application failed on a request" in caplog.text


@pytest.mark.parametrize(
    ("app", "told"),
    [
        (answering(b"hi", content_length="1"), "not as long"),
        (answering(b"hi", content_length="3"), "not as long"),
        (answering(b"hi", b"x", content_length="2"), "not as long"),
        (answering(content_length="2"), ""),
    ],
)
def test_an_answer_of_another_length_than_told_is_cut(app: App, told: str, caplog: pytest.LogCaptureFixture) -> None:
    wire = Wire()
    answered(exchange(wire), wire, app)
    assert (wire.closed, wire.ended) == (True, False)
    assert told in caplog.text


def test_what_comes_out_of_its_turn_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    async def twice(scope: Any, receive: Any, send: Any) -> None:
        for _ in range(2):
            await answering(b"hi", content_length="2")(scope, receive, send)

    wire = Wire()
    (said,) = answered(exchange(wire), wire, twice)
    assert said.endswith(b"\r\n\r\nhi")
    assert "out of its turn" in caplog.text
