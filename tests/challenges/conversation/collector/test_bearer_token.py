from __future__ import annotations

import json
import logging
import pickle
from typing import TYPE_CHECKING

import pytest
from tests.twitter.service import Service
from tests.twitter.world import World

from duologue.challenges.conversation.collector.bearer_token import Token, token_for
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.challenges.conversation.collector.accounts import CollectionResult

SECRET = 'AAAA"secret\\%2Fx'
HERE = "http://127.0.0.1:8080"
THERE = "https://api.x.com"


def test_the_token_comes_from_the_environment() -> None:
    for name in ("X_BEARER_TOKEN", "TWITTER_BEARER_TOKEN", "BEARER_TOKEN"):
        token = token_for(THERE, {name: f" {SECRET}\n"})
        assert token is not None
        assert token.header() == {"Authorization": f"Bearer {SECRET}"}


def test_only_a_service_on_this_machine_may_go_without() -> None:
    for address in (HERE, "http://localhost:1/1.1", "http://[::1]:80"):
        assert token_for(address, {}) is None
    with pytest.raises(UsageError, match="X_BEARER_TOKEN"):
        token_for(THERE, {"X_BEARER_TOKEN": " "})


@pytest.mark.parametrize(
    ("address", "secret", "match"),
    [
        ("http://api.x.com", "t", "not encrypted"),
        ("http://127.0.0.1.example.com", "t", "not encrypted"),
        ("ftp://api.x.com", "t", "http"),
        ("api.x.com", "t", "http"),
        ("https://me:word@api.x.com", "t", "password"),
        (THERE, "two words", "holds no token"),
        (THERE, "line\nbreak", "holds no token"),
        (THERE, "ü", "holds no token"),
    ],
)
def test_what_would_give_the_token_away_is_refused(address: str, secret: str, match: str) -> None:
    with pytest.raises(UsageError, match=match) as caught:
        token_for(address, {"X_BEARER_TOKEN": secret})
    assert "word" not in str(caught.value).replace("password", "")


def test_a_token_shows_itself_nowhere() -> None:
    token = Token(SECRET)
    assert "secret" not in f"{token} {token!r} {[token]}"
    assert "secret" not in token.hidden_in(json.dumps({"seen": f"Bearer {SECRET}"}) + SECRET)
    with pytest.raises(TypeError):
        pickle.dumps(token)


def test_no_message_log_or_file_of_a_collector_holds_the_token(
    collect: Callable[..., CollectionResult], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    world = World()
    world.say("AirCare", "we are here", world.say("anna", "where is it ?"))
    world.open_account("AirCare")
    told: list[str] = []
    with Service(world, token=SECRET, faults=["500", "drop", "cut", "html"]) as service:
        outcome = collect(service, ["AirCare"], api="v2", say=told.append)
        assert {call.authorization for call in service.calls} == {f"Bearer {SECRET}"}
        assert outcome.accounts == 1
        service.token = "another one"
        refused = collect_refused(collect, service, told)
    assert "does not accept the token" in refused
    assert "***" in refused  # the server sends back what it was sent
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for text in ("\n".join(told), caplog.text, refused, written.decode("latin-1")):
        assert "secret" not in text


def collect_refused(collect: Callable[..., CollectionResult], service: Service, told: list[str]) -> str:
    wanted, service.token = service.token, SECRET
    try:
        service.answer = lambda *call: (401, {"detail": f"found {call[2]}"}, {})  # type: ignore[method-assign]  # a server that repeats what it gets
        outcome = collect(service, ["AirCare"], api="v2", say=told.append)
    finally:
        service.token = wanted
    assert outcome.stopped is not None
    return outcome.stopped


@pytest.mark.parametrize("address", ["http://me:word@[::1", "http://me:word@host:99999"])
def test_an_address_that_cannot_be_taken_apart_is_said_without_its_password(address: str) -> None:
    with pytest.raises(UsageError, match="--base-url is no address") as caught:
        token_for(address, {})
    assert "word" not in str(caught.value)
