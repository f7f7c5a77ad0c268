from __future__ import annotations

from threading import Thread

import msgspec
import pytest

from duologue.core.errors import UsageError
from duologue.endpoints.caps import CapReachedError, SpendingCaps
from duologue.endpoints.completion import ChatCompletion
from duologue.systems.endpoint.recipe import EndpointRecipe

RECIPE = EndpointRecipe(url="http://x/v1", model="m", reply_tokens=10)


def caps(**entries: float) -> SpendingCaps:
    return SpendingCaps(msgspec.structs.replace(RECIPE, **entries))


def test_calls_never_exceed_their_cap_however_many_threads_ask() -> None:
    shared, refused = caps(max_calls=20), []

    def ask() -> None:
        for _ in range(10):
            try:
                shared.settle(shared.reserve(30), 30, ChatCompletion(text=""))
            except CapReachedError as error:
                refused.append(str(error))

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 60
    assert "the cap max_calls=20 is reached after 20 calls" in refused[0]


def test_tokens_under_way_count_as_used_and_answers_as_long_as_they_may_be() -> None:
    shared = caps(max_tokens_total=45)
    first = shared.reserve(30)
    assert first == 10
    shared.reserve(30)
    with pytest.raises(CapReachedError, match="max_tokens_total=45"):
        shared.reserve(30)
    shared.settle(first, 30, ChatCompletion(text="", prompt_tokens=5, completion_tokens=1, told=True))
    assert shared.estimated(60) == 10  # six bytes a token, as the server told
    shared.reserve(6)


def test_a_call_that_was_refused_costs_nothing_but_counts_as_one() -> None:
    shared = caps(max_cost=1.0, price_in=0.0, price_out=100_000.0, max_calls=3)
    assert shared.cost(0, 10) == 1
    for _ in range(3):
        shared.settle(shared.reserve(9), 9, None, free=True)
    with pytest.raises(CapReachedError, match="max_calls"):
        shared.reserve(9)


def test_a_call_that_may_have_been_answered_unheard_counts_as_long_as_it_may_be() -> None:
    shared = caps(max_cost=1.0, price_in=0.0, price_out=100_000.0)
    shared.settle(shared.reserve(9), 9, None)
    with pytest.raises(CapReachedError, match="max_cost"):
        shared.reserve(9)


def test_what_extra_asks_for_is_how_long_an_answer_may_be() -> None:
    for extra, omit, limit in (
        ({"max_completion_tokens": 40}, ("max_tokens",), 40),
        ({"max_tokens": 30}, (), 30),
        ({"max_completion_tokens": "40"}, (), 10),
        ({"max_completion_tokens": 40}, ("max_completion_tokens",), 10),
    ):
        shared = SpendingCaps(msgspec.structs.replace(RECIPE, extra=extra, omit=omit, max_tokens_total=limit))
        shared.settle(shared.reserve(0), 0, None, free=True)
        shared.reserve(0)
        with pytest.raises(CapReachedError):
            shared.reserve(0)


def test_a_cap_is_told_as_it_was_given() -> None:
    shared = caps(max_tokens_total=1_234_567)
    shared.settle(shared.reserve(30), 30, ChatCompletion(text="", prompt_tokens=1_234_560, told=True))
    with pytest.raises(CapReachedError, match="the cap max_tokens_total=1234567 is reached after 1 call of this run"):
        shared.reserve(30)


def test_a_cap_of_cost_needs_prices() -> None:
    with pytest.raises(CapReachedError, match=r"max_cost=0\.5"):
        caps(max_cost=0.5, price_out=100_000.0).reserve(9)
    with pytest.raises(UsageError, match="without price_in and price_out"):
        msgspec.structs.replace(RECIPE, max_cost=1.0)
