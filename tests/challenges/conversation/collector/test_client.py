from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.twitter.service import Service
from tests.twitter.world import World

from duologue.challenges.conversation.collector.client import CallError, HttpClient, RefusedError
from duologue.challenges.conversation.collector.rate_limits import RetryPolicy, WallClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.challenges.conversation.collector.conftest import Time

STATUS = "/application/rate_limit_status.json"


@pytest.fixture
def caller_of(time: Time) -> Iterator[Callable[..., HttpClient]]:
    made: list[HttpClient] = []

    def caller_of(service: Service, **more: Any) -> HttpClient:
        made.append(HttpClient(service.url, None, rng=Random(1), **{"clock": time, **more}))
        return made[-1]

    yield caller_of
    for caller in made:
        caller.__exit__(None, None, None)


@pytest.mark.parametrize("fault", ["500", "503", "429", "drop", "cut", "html"])
def test_a_call_that_fails_is_made_again_after_a_wait(
    fault: str, caller_of: Callable[..., HttpClient], time: Time
) -> None:
    with Service(World(), faults=[fault, fault]) as service:
        caller = caller_of(service)
        assert caller.get(STATUS, {}).status == 200
    assert caller.calls == len(service.calls) == 3
    assert len(time.slept) == 2
    assert 0.5 <= time.slept[0] <= 1 <= time.slept[1] <= 2


def test_a_service_that_keeps_failing_is_given_up_with_its_last_words(caller_of: Callable[..., HttpClient]) -> None:
    with Service(World(), faults=["500"] * 9) as service:
        caller = caller_of(service, retry=RetryPolicy(tries=3))
        with pytest.raises(CallError, match=r"status 500.*trouble.*given up after 3 tries"):
            caller.get(STATUS, {})
    assert caller.calls == 3


def test_a_service_that_is_not_there_is_given_up(caller_of: Callable[..., HttpClient]) -> None:
    with Service(World()) as service:
        pass
    caller = caller_of(service, retry=RetryPolicy(tries=2))
    with pytest.raises(CallError, match="connection failed"):
        caller.get(STATUS, {})


def test_after_too_many_calls_the_reset_is_waited_for(caller_of: Callable[..., HttpClient], time: Time) -> None:
    told: list[str] = []
    with Service(World(), limits={"/statuses/lookup": 2}, now=time.now, window_seconds=60) as service:
        caller = caller_of(service, say=told.append)
        for _ in range(5):
            caller.get("/statuses/lookup.json", {"id": "1"}, family="/statuses/lookup")
    assert service.refused == 0  # the headers say when nothing is left, so nothing is refused
    assert [round(seconds) for seconds in time.slept] == [65, 65]
    assert any("waiting 65 seconds" in text for text in told)


def test_a_refusal_names_its_reset_and_is_not_repeated_before(caller_of: Callable[..., HttpClient], time: Time) -> None:
    with Service(World(), limits={"/statuses/lookup": 1}, now=time.now, window_seconds=60) as service:
        for _ in range(2):  # the second caller does not know what the first one used up
            caller_of(service).get("/statuses/lookup.json", {"id": "1"}, family="/statuses/lookup")
    assert service.refused == 1
    assert 60 <= sum(time.slept) < 70


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_token_that_is_not_good_enough_stops_at_once(status: int, caller_of: Callable[..., HttpClient]) -> None:
    with Service(World()) as service:
        service.answer = lambda *_: (status, {"title": "no"}, {})  # type: ignore[method-assign]  # a server that refuses
        with pytest.raises(RefusedError, match=str(status)):
            caller_of(service).get(STATUS, {})
    assert len(service.calls) == 1


def test_other_refusals_are_told_and_not_repeated(caller_of: Callable[..., HttpClient]) -> None:
    with Service(World()) as service:
        with pytest.raises(CallError, match=r"status 404.*no such page"):
            caller_of(service).get("/nowhere.json", {})
        assert caller_of(service).get("/nowhere.json", {}, fine=(404,)).status == 404


def test_a_redirect_is_not_followed(caller_of: Callable[..., HttpClient]) -> None:
    with Service(World()) as service:
        service.answer = lambda *_: (302, {}, {"Location": "http://localhost:1/"})  # type: ignore[method-assign]  # a server that sends callers elsewhere
        with pytest.raises(CallError, match="302"):
            caller_of(service).get(STATUS, {})


def test_a_body_that_trickles_in_for_too_long_is_given_up_and_asked_for_again(
    caller_of: Callable[..., HttpClient],
) -> None:
    with Service(World(), faults=["slow"], trickle_seconds=0.2) as service:
        retry = RetryPolicy(answer_seconds=0.3, first_seconds=0.01)
        caller = caller_of(service, retry=retry, clock=WallClock())
        assert caller.get(STATUS, {}).status == 200
    assert caller.calls == 2


def test_a_service_that_falls_silent_is_given_up_and_asked_again(caller_of: Callable[..., HttpClient]) -> None:
    with Service(World(), faults=["slow"], trickle_seconds=0.6) as service:
        caller = caller_of(service, retry=RetryPolicy(silence_seconds=0.2))
        assert caller.get(STATUS, {}).status == 200
    assert caller.calls == 2


def test_every_call_is_told_before_it_is_made(caller_of: Callable[..., HttpClient]) -> None:
    told: list[tuple[str, dict[str, Any]]] = []
    with Service(World(), faults=["500"]) as service:
        caller_of(service, on_call=lambda endpoint, params: told.append((endpoint, dict(params)))).get(STATUS, {"a": 1})
    assert told == [(STATUS, {"a": 1})] * 2
