from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import UsageError
from duologue.web import serving
from duologue.web.serving import LARGEST_BODY, Server

if TYPE_CHECKING:
    from collections.abc import Iterator


class Echo:
    """Says everything back in capitals; fails on `boom`, and holds `wait` until it is let go."""

    refusal = b"{}"

    def __init__(self) -> None:
        self.entered, self.let_go = threading.Event(), threading.Event()

    def respond(self, body: bytes) -> bytes:
        if body == b"boom":
            raise RuntimeError("on purpose")
        if body == b"wait":
            self.entered.set()
            assert self.let_go.wait(10)
        return body.upper()


@contextmanager
def running(service: Echo) -> Iterator[Server]:
    server = Server(service)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join(10)
        assert not thread.is_alive()


def ask(server: Server, body: bytes, method: str = "POST") -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request(method, "/any/path", body)
    reply = connection.getresponse()
    found = reply.status, reply.read()
    connection.close()
    return found


def raw(server: Server, *sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        for piece in sent:
            connection.sendall(piece)
        received = b""
        while piece := connection.recv(4096):
            received += piece
        return received


def test_fifty_clients_at_once_get_each_their_own_answer() -> None:
    with running(Echo()) as server, ThreadPoolExecutor(50) as clients:
        said = [f"client {number}".encode() for number in range(200)]
        assert list(clients.map(lambda body: ask(server, body), said)) == [(200, body.upper()) for body in said]


def test_one_connection_carries_many_requests() -> None:
    with running(Echo()) as server:
        connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        for body in (b"one", b"", b"three"):
            connection.request("POST", "/", body)
            assert connection.getresponse().read() == body.upper()
        connection.close()


def test_a_service_that_fails_is_told_apart_and_the_next_client_is_served(caplog: pytest.LogCaptureFixture) -> None:
    with running(Echo()) as server:
        assert ask(server, b"boom") == (500, b"{}")
        assert ask(server, b"next") == (200, b"NEXT")
    assert "failed on a request of 4 bytes" in caplog.text


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
def test_only_post_is_answered(method: str) -> None:
    with running(Echo()) as server:
        assert ask(server, b"", method) == (405, b"{}")


def test_a_body_that_is_too_long_or_of_unknown_length_is_refused_unread() -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\n"
    with running(Echo()) as server:
        for length in (str(LARGEST_BODY + 1), "9" * 5000):
            assert raw(server, head + f"Content-Length: {length}\r\n\r\n".encode()).startswith(b"HTTP/1.1 413 ")
        for line in (b"", b"Content-Length: -1\r\n", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"):
            assert raw(server, head + line + b"\r\n").startswith(b"HTTP/1.1 411 ")
        assert ask(server, b"x" * LARGEST_BODY)[0] == 200
        assert ask(server, b"x" * (LARGEST_BODY + 1)) == (413, b"{}")


def test_a_client_that_leaves_in_the_middle_harms_nobody() -> None:
    with running(Echo()) as server:
        with socket.create_connection(("127.0.0.1", server.server_port)) as connection:
            connection.sendall(b"POST / HTTP/1.1\r\nContent-Length: 50\r\n\r\nhalf")
        assert b"400" in raw(server, b"no HTTP at all\r\n\r\n")
        assert ask(server, b"next") == (200, b"NEXT")


def test_a_silent_client_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving._Handler, "timeout", 0.2)
    with running(Echo()) as server:
        assert raw(server, b"POST / HTTP/1.1\r\n") == b""


def test_one_client_too_many_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "CONNECTIONS", 1)
    service = Echo()
    with running(service) as server, ThreadPoolExecutor(1) as clients:
        first = clients.submit(ask, server, b"wait")
        assert service.entered.wait(10)
        assert ask(server, b"me too") == (503, b"")
        service.let_go.set()
        assert first.result(10) == (200, b"WAIT")


def test_a_client_for_whom_there_is_no_thread_takes_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_thread(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(serving, "CONNECTIONS", 1)
    with running(Echo()) as server:
        with monkeypatch.context() as patch:
            patch.setattr(ThreadingHTTPServer, "process_request", no_thread)
            assert raw(server) == b""
        assert ask(server, b"next") == (200, b"NEXT")


def test_an_answer_under_way_is_still_sent_when_the_server_stops() -> None:
    service = Echo()
    with ThreadPoolExecutor(1) as clients:
        with running(service) as server:
            waiting = clients.submit(ask, server, b"wait")
            assert service.entered.wait(10)
            threading.Timer(0.5, service.let_go.set).start()
        assert waiting.result(10) == (200, b"WAIT")


def test_a_port_that_is_taken_is_said_so() -> None:
    server = Server(Echo())
    with pytest.raises(UsageError, match="choose other --host or --port"):
        Server(Echo(), port=server.server_port)
    server.server_close()


def test_the_address_says_where_clients_go() -> None:
    server = Server(Echo())
    assert server.address == f"http://127.0.0.1:{server.server_port}"
    server.server_close()
