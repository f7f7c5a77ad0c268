"""Odd answers of either interface."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.twitter.service import Service
from tests.twitter.world import World

from duologue.challenges.conversation.collector.client import CallError, GoneError, HttpClient
from duologue.challenges.conversation.collector.rate_limits import Budget
from duologue.challenges.conversation.collector.v1 import V1
from duologue.challenges.conversation.collector.v2 import V2
from duologue.challenges.conversation.formats import stores
from duologue.challenges.conversation.formats.posts import is_post

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.challenges.conversation.collector.conftest import Time

    from duologue.challenges.conversation.collector.api import Api


@pytest.fixture
def api_of(tmp_path: Path, time: Time) -> Iterator[Callable[[str, Any], Api]]:
    """An interface to a service that gives one answer to all calls but those for limits."""
    open_: list[Any] = []

    def api_of(api: str, answer: Any) -> Api:
        world = World()
        world.open_account("A")
        service = Service(world)
        usual = service.answer

        def odd(endpoint: str, *rest: Any) -> Any:
            fixed = endpoint.endswith(("status.json", "users/by"))
            return (
                usual(endpoint, *rest)
                if fixed
                else (200, answer, {"x-rate-limit-remaining": "9", "x-rate-limit-reset": "9"})
            )

        service.answer = odd  # type: ignore[method-assign, assignment]  # a server with odd answers
        service.__enter__()
        caller = HttpClient(service.url, None, rng=Random(1), clock=time)
        base = stores.open_base(tmp_path)
        open_.extend((base, caller, service))
        return V1(caller, Budget()) if api == "v1" else V2(caller, Budget(), base)

    yield api_of
    for one in open_:
        one.__exit__(None, None, None)


def test_rows_that_are_no_posts_are_left_out(api_of: Callable[[str, Any], Api]) -> None:
    (found,) = api_of("v1", [{"id": 4}, 3, None]).look_up([4])
    assert (found.posts, found.absent) == ([], {4: "not in the answer"})
    (found,) = api_of("v2", {"data": [{"id": "4"}, 3], "errors": [{"value": "4", "detail": "odd"}]}).look_up([4])
    assert (found.posts, found.absent) == ([], {4: "odd"})


def test_a_post_without_a_language_is_no_reason_to_lose_it(api_of: Callable[[str, Any], Api]) -> None:
    row = {"id": 4, "created_at": "", "text": "", "lang": None, "in_reply_to_status_id": None, "place": 1}
    row["user"] = {"id": 1, "screen_name": "a", "name": "A"}
    (found,) = api_of("v1", [row]).look_up([4])
    assert found.posts[0].post == {**row, "lang": "und", "truncated": False}


@pytest.mark.parametrize(("api", "answer"), [("v1", {"a": 1}), ("v2", [1]), ("v1", "x")])
def test_an_answer_of_another_kind_is_told(api_of: Callable[[str, Any], Api], api: str, answer: Any) -> None:
    with pytest.raises(CallError, match="base-url"):
        list(api_of(api, answer).look_up([4]))


def test_a_timeline_that_leads_nowhere_ends(api_of: Callable[[str, Any], Api]) -> None:
    page = [{"id": 9}]
    with pytest.raises(CallError, match="leads nowhere"):
        list(api_of("v1", page).timeline("A", since=None, before=None, limit=None))
    with pytest.raises(CallError, match="repeats its pagination token"):
        list(api_of("v2", {"meta": {"next_token": "x"}}).timeline("A", since=None, before=None, limit=None))


def test_an_empty_page_with_a_token_is_not_the_end(api_of: Callable[[str, Any], Api]) -> None:
    pages = api_of("v2", {"meta": {"next_token": "x"}}).timeline("A", since=None, before=50, limit=None)
    page = next(pages)
    assert (list(page.posts), page.before) == ([], 50)


def test_retweets_are_dropped(api_of: Callable[[str, Any], Api]) -> None:
    row = {"id": "4", "author_id": "1", "created_at": "2020-01-01T00:00:00Z", "text": "RT"}
    answer = {"data": [{**row, "referenced_tweets": [{"type": "retweeted", "id": "2"}]}, {**row, "id": "3"}]}
    (page,) = api_of("v2", answer).timeline("A", since=None, before=None, limit=None)
    assert [sent.post["id"] for sent in page.posts] == [3]
    assert page.before == 3


def test_an_account_without_a_number_is_gone(api_of: Callable[[str, Any], Api]) -> None:
    with pytest.raises(GoneError):
        list(api_of("v2", {}).timeline("Nobody", since=None, before=None, limit=None))


@pytest.mark.parametrize(
    "change", [{"id": "1"}, {"id": True}, {"text": None}, {"user": {}}, {"truncated": 0}, {"id": -1}]
)
def test_a_post_has_all_fields_that_extraction_looks_at(change: dict[str, Any]) -> None:
    row = {"id": 1, "created_at": "", "text": "", "truncated": False, "lang": "", "in_reply_to_status_id": None}
    row["user"] = {"id": 1, "screen_name": "", "name": ""}
    assert is_post(row)
    assert not is_post({**row, **change})
    assert not is_post({name: value for name, value in row.items() if name not in change})


@pytest.mark.parametrize("number", [[1], {"x": 1}, None, 10**400, "x"])
def test_users_and_pages_without_an_id_are_no_surprise(number: Any, api_of: Callable[[str, Any], Api]) -> None:
    assert len(list(api_of("v1", [{"id": number, "screen_name": "a"}]).search_users("x", 3))) == 1
    with pytest.raises(CallError, match="leads nowhere"):
        list(api_of("v1", [{"id": number}]).timeline("A", since=None, before=None, limit=None))
