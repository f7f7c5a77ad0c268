from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.core.protocols import Service
from duologue.systems.baselines import TfidfRanker
from duologue.web.access import AccessTokens
from duologue.web.application import application
from duologue.web.openapi import openapi_document
from duologue.web.served import ServedSystem, by_name, prepared
from duologue.web.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.records import Answer, Sample

TOKEN = "0123456789abcdef"
ABOUT = {"candidates": ["a table for two", "hello there"]}


class Ranker(TfidfRanker):
    """Waits or fails where a dialogue says so."""

    entered, let_go = threading.Event(), threading.Event()

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        said = {turn.text for sample in samples for turn in sample.history}
        if "boom" in said:
            raise RuntimeError("in /a/secret/place")
        if "wait" in said:
            self.entered.set()
            assert self.let_go.wait(10)
        return super().answer(samples)


@pytest.fixture
def served() -> ServedSystem:
    Ranker.entered.clear()
    Ranker.let_go.clear()
    return prepared("restaurant/ranker", load_task("restaurant"), Ranker(Ranker.Recipe()), None, seed=1)


@contextmanager
def running(served: ServedSystem, **limits: Any) -> Iterator[HTTPConnection]:
    server = Server(application([served], **limits))
    thread = threading.Thread(target=server.run)
    thread.start()
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    try:
        yield connection
    finally:
        connection.close()
        server.shutdown()
        thread.join(10)


def ask(connection: HTTPConnection, path: str, body: Any = None, **fields: str) -> tuple[int, Any]:
    sent = None if body is None else json.dumps(body)
    connection.request("GET" if body is None else "POST", path, sent, fields)
    reply = connection.getresponse()
    return reply.status, json.loads(reply.read())


def chat(said: str, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": said}]
    return {"model": "restaurant/ranker", "messages": messages, "metadata": ABOUT, **more}


def test_paths_answer_as_the_api_has_it(served: ServedSystem) -> None:
    with running(served) as connection:
        assert ask(connection, "/healthz") == (200, {"status": "ok"})
        status, told = ask(connection, "/v1/models")
        assert (status, [one["id"] for one in told["data"]]) == (200, ["restaurant/ranker"])
        assert ask(connection, "/v1/models/restaurant/ranker") == (200, told["data"][0])
        status, answer = ask(connection, "/v1/chat/completions", chat("a table please"))
        assert (status, answer["choices"][0]["message"]["content"]) == (200, "a table for two")
        assert answer["duologue"]["answer"]["ranking"] == ["1", "2"]
        assert ask(connection, "/openapi.json") == (200, json.loads(json.dumps(openapi_document(official=False))))


def test_errors_have_one_form_and_tell_nothing_of_the_machine(
    served: ServedSystem, caplog: pytest.LogCaptureFixture
) -> None:
    bad = [
        ("/v1/models/x", None, 404, "model_not_found"),
        ("/v1/chat/completions", chat("x", model="gpt"), 404, "model_not_found"),
        ("/v1/chat/completions", {}, 400, "bad_request"),
        ("/v1/chat/completions", chat("x", n=3), 400, "unsupported_value"),
        ("/v1/chat/completions", chat("x", metadata={"history": []}, messages=[]), 400, "bad_request"),
        ("/v1/chat/completions", chat("boom"), 500, "internal_server_error"),
        ("/v1/chat/completions", None, 405, "method_not_allowed"),
        ("/v1/embeddings", {}, 404, "not_found"),
        ("/", {"history": ["x"]}, 404, "not_found"),
    ]
    with running(served) as connection:
        for path, body, status, code in bad:
            found, told = ask(connection, path, body)
            assert (found, told["error"]["code"]) == (status, code), (path, told)
            assert set(told["error"]) == {"message", "type", "param", "code"}
            assert "secret" not in str(told)
    assert "in /a/secret/place" in caplog.text


def test_whoever_has_no_token_is_refused_everywhere_but_at_the_sign_of_life(served: ServedSystem) -> None:
    with running(served, tokens=AccessTokens([TOKEN])) as connection:
        for path in ("/v1/models", "/openapi.json", "/nowhere"):
            for fields in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
                status, told = ask(connection, path, **fields)
                assert (status, told["error"]["code"]) == (401, "invalid_api_key")
        assert ask(connection, "/v1/models", Authorization=f"Bearer {TOKEN}")[0] == 200
        assert ask(connection, "/healthz")[0] == 200


def test_the_sign_of_life_is_no_way_around_the_token_to_a_task_s_own_form() -> None:
    asked: list[bytes] = []

    def respond(body: bytes) -> bytes:
        asked.append(body)
        return b"{}"

    tokens = AccessTokens([TOKEN])
    server = Server(application([], form=Service(respond, b"{}"), tokens=tokens, per_minute=3))
    thread = threading.Thread(target=server.run)
    thread.start()
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    borne = {"Authorization": f"Bearer {TOKEN}"}
    try:
        assert ask(connection, "/healthz", {"history": ["x"]})[0] == 401
        assert ask(connection, "/healthz", {"history": ["x"]}, **borne)[0] == 405
        assert asked == []
        assert ask(connection, "/", {"history": ["x"]}, **borne)[0] == 200
        assert len(asked) == 1
        assert ask(connection, "/healthz", {"history": ["x"]}, **borne)[0] == 429
        assert ask(connection, "/healthz") == (200, {"status": "ok"})
    finally:
        connection.close()
        server.shutdown()
        thread.join(10)


def test_a_client_that_asks_too_often_is_told_when_to_come_again(served: ServedSystem) -> None:
    with running(served, per_minute=2) as connection:
        assert [ask(connection, "/v1/models")[0] for _ in range(2)] == [200, 200]
        connection.request("GET", "/v1/models")
        reply = connection.getresponse()
        assert (reply.status, json.loads(reply.read())["error"]["type"]) == (429, "rate_limit_error")
        assert int(reply.headers["Retry-After"]) in range(1, 31)
        assert ask(connection, "/healthz")[0] == 200


def test_a_request_has_a_deadline_for_the_whole_of_it(served: ServedSystem) -> None:
    with running(served, seconds=0.2) as connection:
        status, told = ask(connection, "/v1/chat/completions", chat("wait"))
        assert (status, told["error"]["message"]) == (504, "The answer took too long.")
        Ranker.let_go.set()
        assert ask(connection, "/v1/chat/completions", chat("hello there"))[0] == 200


def test_a_client_that_leaves_takes_its_request_out_of_the_queue(served: ServedSystem) -> None:
    with running(served) as connection:
        other, third = (HTTPConnection("127.0.0.1", connection.port, timeout=10) for _ in range(2))
        connection.request("POST", "/v1/chat/completions", json.dumps(chat("wait")))
        assert Ranker.entered.wait(10)
        other.request("POST", "/v1/chat/completions", json.dumps(chat("boom")))
        other.close()
        Ranker.let_go.set()
        assert connection.getresponse().status == 200
        assert ask(third, "/v1/chat/completions", chat("hello"))[0] == 200
        third.close()


def test_two_systems_of_one_name_are_refused(served: ServedSystem) -> None:
    with pytest.raises(UsageError, match="two systems would be called 'restaurant/ranker'"):
        by_name([served, served])


def test_whatever_fails_before_a_route_is_found_is_an_error_in_the_one_form(
    served: ServedSystem, caplog: pytest.LogCaptureFixture
) -> None:
    with running(served, per_minute=10**400) as connection:
        status, told = ask(connection, "/v1/models")
        assert (status, told["error"]["code"]) == (500, "internal_server_error")
    assert "a request failed" in caplog.text
