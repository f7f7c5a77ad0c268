from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.errors import UsageError
from duologue.core.protocols import Service
from duologue.web import connections
from duologue.web.application import application
from duologue.web.connections import LARGEST_BODY
from duologue.web.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.web.guard import Guard

START = b"POST / HTTP/1.1\r\n"


class Echo:
    """Says everything back in capitals; fails on `boom`, and holds `wait` until it is let go."""

    def __init__(self) -> None:
        self.entered, self.let_go = threading.Event(), threading.Event()

    def respond(self, body: bytes) -> bytes:
        if body == b"boom":
            raise RuntimeError("on purpose")
        if body == b"wait":
            self.entered.set()
            assert self.let_go.wait(10)
        return body.upper()


def served(echo: Echo, **limits: Any) -> Guard:
    return application([], form=Service(echo.respond, b"{}"), **limits)


def code_of(body: bytes) -> str:
    """The code of an error, which has the one form."""
    (error,) = json.loads(body).values()
    assert set(error) == {"message", "type", "param", "code"}
    assert error["message"]
    return str(error["code"])


@contextmanager
def running(service: Echo, **limits: Any) -> Iterator[Server]:
    server = Server(served(service, **limits))
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


def refused(server: Server, body: bytes, method: str = "POST") -> tuple[int, str]:
    status, said = ask(server, body, method)
    return status, code_of(said)


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
        assert refused(server, b"boom") == (500, "internal_server_error")
        assert ask(server, b"next") == (200, b"NEXT")
    assert "the system failed" in caplog.text
    assert "on purpose" in caplog.text


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
def test_only_post_is_answered(method: str) -> None:
    with running(Echo()) as server:
        assert refused(server, b"", method) == (405, "method_not_allowed")


def test_a_body_that_is_too_long_or_of_unknown_length_is_refused_unread() -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\n"
    with running(Echo()) as server:
        for length in (str(LARGEST_BODY + 1), "9" * 5000):
            assert raw(server, head + f"Content-Length: {length}\r\n\r\n".encode()).startswith(b"HTTP/1.1 413 ")
        for line in (b"", b"Content-Length: -1\r\n", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"):
            assert raw(server, head + line + b"\r\n").startswith(b"HTTP/1.1 411 ")
        assert ask(server, b"x" * LARGEST_BODY)[0] == 200
        assert refused(server, b"x" * (LARGEST_BODY + 1))[0] == 413


def test_a_client_that_leaves_in_the_middle_harms_nobody() -> None:
    with running(Echo()) as server:
        with socket.create_connection(("127.0.0.1", server.server_port)) as connection:
            connection.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\nhalf")
        assert b"400" in raw(server, b"no HTTP at all\r\n\r\n")
        assert ask(server, b"next") == (200, b"NEXT")


@pytest.mark.parametrize("drip", [b"", START, START + b"Host: localhost\r\nContent-Length: 9\r\n\r\nhalf"])
def test_a_request_has_a_deadline_however_it_drips(drip: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.3)
    with running(Echo()) as server, socket.create_connection(("127.0.0.1", server.server_port)) as connection:
        connection.sendall(drip)
        connection.settimeout(0.05)
        began = monotonic()
        with suppress(ConnectionError):
            while monotonic() - began < 5:
                with suppress(TimeoutError):
                    if not connection.recv(100):
                        break
                connection.sendall(b"x" * bool(drip))
        assert monotonic() - began < 2


def test_one_client_too_many_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CONNECTIONS", 1)
    service = Echo()
    with running(service) as server, ThreadPoolExecutor(1) as clients:
        first = clients.submit(ask, server, b"wait")
        assert service.entered.wait(10)
        assert refused(server, b"me too") == (503, "service_unavailable")
        service.let_go.set()
        assert first.result(10) == (200, b"WAIT")


def test_where_there_is_no_thread_for_an_answer_the_next_client_is_still_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_thread(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with running(Echo()) as server:
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", no_thread)
            assert refused(server, b"one") == (503, "service_unavailable")
        assert ask(server, b"next") == (200, b"NEXT")


def test_a_host_or_page_of_somebody_else_is_refused() -> None:
    def said(server: Server, *fields: str) -> bytes:
        return raw(server, "\r\n".join(["POST / HTTP/1.1", *fields, "Connection: close", "", "hi"]).encode())[9:12]

    with running(Echo()) as server:
        port = server.server_port
        for host in ("localhost", f"localhost:{port}", f"127.0.0.1:{port}", "[::1]:80", "LOCALHOST.", "10.1.2.3"):
            assert said(server, f"Host: {host}", "Content-Length: 2") == b"200", host
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "a b", "[", "@", "x@localhost:1"):
            expected = b"200" if host.endswith("@localhost:1") else b"421"
            assert said(server, f"Host: {host}", "Content-Length: 2") == expected, host
        assert said(server, "Content-Length: 2") == b"400"
        assert said(server, "Host: localhost", "Host: localhost", "Content-Length: 2") == b"400"
        for origin in ("null", "http://evil.example", "http://localhost:1", "file://"):
            assert said(server, "Host: localhost", f"Origin: {origin}", "Content-Length: 2") == b"403", origin
        assert said(server, "Host: localhost", "Origin: http://localhost", "Content-Length: 2") == b"200"
    server = Server(served(Echo()), hosts=["Chat.Example"])
    assert "chat.example" in server.hosts
    server.server_close()


@pytest.mark.parametrize(
    "field",
    ["Content-Length: 2", "Content-Length : 2", " folded: 1", "X", ": 1", "X: \x00", "X: a\nY: b", "Content-Length: 3"],
)
def test_what_could_be_read_in_two_ways_is_refused(field: str) -> None:
    head = f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n{field}\r\n\r\nhi"
    with running(Echo()) as server:
        assert raw(server, head.encode("latin-1")).startswith(b"HTTP/1.1 400 ")
        assert raw(server, b"POST / HTTP/1.1\r\nX: " + b"x" * 40_000 + b"\r\n\r\n").startswith(b"HTTP/1.1 431 ")


def test_a_client_that_waits_for_a_word_before_its_body_gets_it() -> None:
    with running(Echo()) as server, socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"hi")
        received = b""
        while not received.endswith(b"\r\n\r\nHI"):
            piece = client.recv(1000)
            assert piece
            received += piece


def test_whoever_is_waited_for_longest_loses_its_place_to_a_newcomer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CONNECTIONS_PER_CLIENT", 8)
    with running(Echo()) as server, ExitStack() as stack:
        place = ("127.0.0.1", server.server_port)
        drips = [stack.enter_context(socket.create_connection(place, timeout=10)) for _ in range(30)]
        for one in drips:
            with suppress(ConnectionError):
                one.sendall(START)
        for _ in range(5):
            assert ask(server, b"honest") == (200, b"HONEST")
        with suppress(ConnectionResetError):
            assert drips[0].recv(10) == b""


def test_an_answer_under_way_is_still_sent_when_the_server_stops() -> None:
    service = Echo()
    with ThreadPoolExecutor(1) as clients:
        with running(service) as server:
            waiting = clients.submit(ask, server, b"wait")
            assert service.entered.wait(10)
            threading.Timer(0.5, service.let_go.set).start()
        assert waiting.result(10) == (200, b"WAIT")


def test_a_port_that_is_taken_is_said_so() -> None:
    server = Server(served(Echo()))
    with pytest.raises(UsageError, match="choose other --host or --port"):
        Server(served(Echo()), port=server.server_port)
    server.server_close()


def test_the_address_says_where_clients_go() -> None:
    server = Server(served(Echo()))
    assert server.address == f"http://127.0.0.1:{server.server_port}"
    server.server_close()


@pytest.mark.slow
def test_honest_clients_are_served_quickly_beside_three_hundred_that_drip() -> None:
    benchmark = Path(__file__).resolve().parents[2] / "benchmarks" / "serving.py"
    words: list[str | Path] = [sys.executable, benchmark, "--seconds", "4"]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
