"""The bot over HTTP beside a real server of this machine that misbehaves as servers do."""

from __future__ import annotations

import json
import socket
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.errors import BotError, UsageError
from duologue.core.protocols import TaskInfo
from duologue.core.records import Candidate, Sample
from duologue.systems.remote import HttpBot, HttpRecipe
from duologue.testing import check_system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TALK = TaskInfo(name="talk", version="1", language="en", answers="text")
RANK = TaskInfo(name="rank", version="1", language="en", answers="ranking")
SAMPLE = Sample(id="s1", dialogue_id="d")
FINE = {"id": "s1", "text": "fine"}


class Stub(ThreadingHTTPServer):
    """A server that does what the next step of its script says, and the last one again and again."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script: list[Callable[[_Handler, dict[str, Any]], None]] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.stopping = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/answer?v=1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that leave are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: Stub

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.server.headers.append({**self.headers, "path": self.path})
        step = self.server.script[min(len(self.server.asked), len(self.server.script)) - 1]
        step(self, asked)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def send(handler: _Handler, body: bytes, status: int = 200, *, length: int | str | None = None, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body) if length is None else length))
    handler.end_headers()
    handler.wfile.write(body)


def says(body: object, status: int = 200, **options: Any) -> Callable[[_Handler, dict[str, Any]], None]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda handler, _: send(handler, data, status, **options)


def drip(handler: _Handler, _: dict[str, Any]) -> None:
    """Never be silent for long, and never come to an end."""
    handler.send_response(200)
    handler.end_headers()
    for _number in range(200):
        if handler.server.stopping:
            return
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def hang_up(handler: _Handler, _: dict[str, Any]) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def chatter(handler: _Handler, _: dict[str, Any]) -> None:
    handler.wfile.write(b"hello, i am a printer\r\n\r\n")
    handler.close_connection = True


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield server
    server.stopping = True
    server.shutdown()
    server.server_close()


def bot(url: str, info: TaskInfo = TALK, **recipe: Any) -> HttpBot:
    made = HttpBot(HttpRecipe(url=url, **{"wait": 0.01, "timeout": 5.0, **recipe}))
    made.prepare(info, 3, {})
    return made


def test_a_bot_is_asked_with_json_and_its_answer_taken(stub: Stub) -> None:
    stub.script = [says(FINE)]
    assert bot(stub.url).answer([SAMPLE])[0].text == "fine"
    assert (stub.asked[0]["id"], stub.asked[0]["seed"]) == ("s1", 3)
    assert stub.headers[0]["Content-Type"] == "application/json"
    assert stub.headers[0]["path"] == "/answer?v=1"


def test_the_contract_of_a_system_is_kept(stub: Stub) -> None:
    stub.script = [
        lambda handler, asked: send(
            handler,
            json.dumps({"id": asked["id"], "ranking": sorted(one["id"] for one in asked["candidates"])}).encode(),
        )
    ]
    choice = tuple(Candidate(id=name, text=name) for name in "cab")
    check_system(bot(stub.url, RANK), [Sample(id=str(n), dialogue_id="d", candidates=choice) for n in range(4)], RANK)


@pytest.mark.parametrize(
    "trouble",
    [says(b"oops", 500), says(b"later", 503), says(b"slowly", 429, Retry_After="0"), hang_up, chatter,
     says(b'{"id"', length=100)],
    ids=["500", "503", "429", "hangs up", "no HTTP", "cut"],
)  # fmt: skip
def test_what_may_be_over_soon_is_tried_again(stub: Stub, trouble: Any) -> None:
    stub.script = [trouble, trouble, says(FINE)]
    assert bot(stub.url).answer([SAMPLE])[0].text == "fine"
    assert len(stub.asked) == 3


@pytest.mark.parametrize(
    ("trouble", "wrong"),
    [
        (says(b"oops\x1b[31m", 500), r"answers with status 500: oops\\x1b\[31m \(3 tries\); is it running\?"),
        (hang_up, "closed the connection without an answer"),
        (chatter, "answers in a way that is no HTTP"),
        (says(b'{"id"', length=100), "was cut off after 5 of 100 bytes"),
    ],
    ids=["500", "hangs up", "no HTTP", "cut"],
)
def test_a_bot_that_stays_broken_is_given_up(stub: Stub, trouble: Any, wrong: str) -> None:
    stub.script = [trouble]
    with pytest.raises(BotError, match=wrong):
        bot(stub.url, tries=3).answer([SAMPLE])
    assert len(stub.asked) == 3


def test_a_length_of_thousands_of_digits_is_none(stub: Stub) -> None:
    stub.script = [says(FINE, length="9" * 5000)]
    assert bot(stub.url).answer([SAMPLE])[0].text == "fine"


def test_a_bot_that_is_down_is_said_to_be() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/"
    with pytest.raises(BotError, match=r"cannot be reached: Connection refused \(2 tries\); is it running\?"):
        bot(url, tries=2).answer([SAMPLE])


@pytest.mark.parametrize("slow", [drip, lambda handler, _: time.sleep(3)], ids=["drips", "is silent"])
def test_time_is_limited_for_the_whole_answer(stub: Stub, slow: Any) -> None:
    stub.script = [slow]
    begun = time.monotonic()
    with pytest.raises(BotError, match=r"gave no answer in 0.3 s \(--set timeout=...\)"):
        bot(stub.url, timeout=0.3, tries=1).answer([SAMPLE])
    assert time.monotonic() - begun < 2.5


@pytest.mark.parametrize(
    ("step", "wrong"),
    [
        (says(b"not json"), "it said:  not json"),
        (says({"id": "other", "text": "x"}), "the response is to 'other'"),
        (says({"id": "s1"}), "it has no text"),
        (says(b"who are you?", 403), "refuses with status 403: who are you"),
        (
            says(b"", 302, Location="http://elsewhere.invalid/"),
            r"sends elsewhere \(302, to http://elsewhere.invalid/\)",
        ),
        (says(b" " * (5 << 20)), "sends more than 4 MB"),
        (says(b"", 204), "refuses with status 204"),
    ],
    ids=["not json", "wrong id", "no text", "403", "redirect", "huge", "empty"],
)
def test_what_another_try_would_not_change_is_not_tried_again(stub: Stub, step: Any, wrong: str) -> None:
    stub.script = [step]
    with pytest.raises(BotError, match=wrong):
        bot(stub.url).answer([SAMPLE])
    assert len(stub.asked) == 1


@pytest.mark.parametrize(
    ("url", "wrong"),
    [
        ("file:///etc/passwd", "expected an address such as"),
        ("127.0.0.1:8080", "expected an address such as"),
        ("http://", "expected an address such as"),
        ("http://host:99999/", "out of range"),
        ("http://[::1/", "Invalid IPv6"),
        ("http://host/\r\nX: y", "expected an address such as"),
        ("http://me:secret@host/", "would be kept beside every result"),
    ],
)
def test_an_address_that_is_none_is_a_usage_error(url: str, wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong) as told:
        bot(url)
    assert "secret" not in str(told.value)
