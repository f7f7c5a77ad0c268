from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.collector.rate_limits import (
    Budget,
    BudgetSpentError,
    Prices,
    RateLimits,
    RetryPolicy,
)


def test_waits_double_up_to_the_longest_and_half_of_each_is_chance() -> None:
    retry = RetryPolicy(first_seconds=2.0, max_seconds=30.0)
    for errors, full in ((1, 2.0), (2, 4.0), (4, 16.0), (5, 30.0), (60, 30.0), (5000, 30.0)):
        waits = [retry.after(errors, Random(seed)) for seed in range(50)]
        assert full / 2 <= min(waits) < full * 0.6
        assert full * 0.9 < max(waits) <= full


def test_nothing_left_means_waiting_until_the_reset_and_a_margin_once() -> None:
    limits = RateLimits()
    assert limits.note("/a", {"x-rate-limit-remaining": "0", "x-rate-limit-reset": "1000"})
    assert limits.wait("/b", 900.0, 5.0) == 0
    assert limits.wait("/a", 900.0, 5.0) == 105
    assert limits.wait("/a", 900.0, 5.0) == 0


@pytest.mark.parametrize(
    "headers",
    [{}, {"x-rate-limit-remaining": "0"}, {"x-rate-limit-remaining": "x", "x-rate-limit-reset": "1"}],
)
def test_headers_that_tell_no_limit_are_no_limit(headers: dict[str, str]) -> None:
    limits = RateLimits()
    assert not limits.note("/a", headers)
    assert limits.wait("/a", 0.0, 5.0) == 0


def test_a_reset_that_is_no_number_is_not_waited_for() -> None:
    limits = RateLimits()
    limits.note("/a", {"x-rate-limit-remaining": "0", "x-rate-limit-reset": "inf"})
    assert limits.wait("/a", 0.0, 5.0) == 0


@pytest.mark.parametrize("reset", [10**400, -(10**400), float("nan"), 1e300])
def test_a_reset_at_no_time_is_not_waited_for(reset: float) -> None:
    limits = RateLimits()
    limits.set("/a", 0, reset)
    assert limits.wait("/a", 0.0, 5.0) == 0


def test_a_price_of_hardly_anything_is_not_limited_by_dollars() -> None:
    budget = Budget(Prices(post=1e-320, user=1e-320), max_usd=1.0)
    assert (budget.afford_posts(100), budget.afford_users(100)) == (100, 100)


def test_a_budget_of_posts_gives_less_and_less_and_then_stops() -> None:
    budget = Budget(max_posts=12)
    assert budget.afford_posts(100) == 12
    budget.posts = 9
    assert budget.afford_posts(100) == 3
    with pytest.raises(BudgetSpentError, match="9 posts read"):
        budget.afford_posts(100, least=5)


def test_a_budget_of_dollars_counts_posts_and_users() -> None:
    budget = Budget(Prices(post=0.005, user=0.01), max_usd=1.0)
    budget.users = 90
    assert budget.afford_posts(100) == 20
    assert budget.afford_users(100) == 10
    budget.posts = 20
    with pytest.raises(BudgetSpentError, match=r"1\.00 USD"):
        budget.afford_users(1)


def test_what_costs_nothing_is_not_limited_by_dollars() -> None:
    budget = Budget(Prices(post=0.0, user=0.0), max_usd=0.0)
    assert budget.limited
    assert budget.afford_posts(100) == 100
    assert budget.afford_users(100) == 100


@given(st.floats(0, 50), st.floats(0.001, 0.1), st.lists(st.integers(1, 100), max_size=30))
def test_a_budget_is_never_exceeded(limit: float, price: float, asked: list[int]) -> None:
    budget = Budget(Prices(post=price), max_usd=limit)
    for most in asked:
        try:
            budget.posts += budget.afford_posts(most)
        except BudgetSpentError:
            break
    assert budget.usd <= limit + 1e-6
