from __future__ import annotations

import json
import logging
import pickle
import traceback
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from oauthlib.oauth1.rfc5849 import signature
from tests.twitter.service import APP, USER, Service
from tests.twitter.world import World

from duologue.challenges.conversation.collector.client import CallError, HttpClient, RefusedError
from duologue.challenges.conversation.collector.oauth import AppKeys, UserToken, app_token, base_string
from duologue.challenges.conversation.collector.rate_limits import Budget
from duologue.challenges.conversation.collector.v1 import V1
from duologue.challenges.conversation.collector.v2 import V2

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.challenges.conversation.collector.conftest import Time

    from duologue.challenges.conversation.collector.accounts import CollectionResult


def test_a_signature_is_that_of_the_published_example() -> None:
    """The example of the service's own documentation ("Creating a signature")."""
    token = UserToken(
        "xvz1evFS4wEEPTGEFPHBog",
        "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw",
        "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb",
        "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE",
        now=lambda: 1318622958.7,
        nonce=lambda: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg",
    )
    said = {"status": "Hello Ladies + Gentlemen, a signed OAuth request!", "include_entities": "true"}
    header = token.header("POST", "https://api.twitter.com/1.1/statuses/update.json", said)["Authorization"]
    assert 'oauth_signature="hCtSmYh%2BiHYCEqBWrE7C7hYmtUk%3D"' in header


@pytest.mark.parametrize(
    "url",
    ["https://API.x.com:443/1.1/users/search.json", "http://127.0.0.1:8080/a%20b", "http://[::1]:80", "http://h/ü"],
)
def test_the_text_that_is_signed_is_that_of_an_independent_library(url: str) -> None:
    params: dict[str, str | int] = {"q": "客服 care+more & you=me ~*'", "page": 2, "a": "", "Q": "é%"}
    pairs = [(name, str(one)) for name, one in params.items()]
    expected = signature.signature_base_string(
        "GET", signature.base_string_uri(url), signature.normalize_parameters(pairs)
    )
    assert base_string("GET", url, params) == expected


@pytest.mark.parametrize("api", ["v1", "v2"])
def test_accounts_are_collected_and_found_in_the_name_of_a_user(
    api: str, collect: Callable[..., CollectionResult], time: Time
) -> None:
    world = World()
    world.say("AirCare", "we are here", world.say("anna", "where is it ?"))
    world.open_account("AirCare")
    with Service(world, access="user", now=time.now, faults=["500", "drop", "cut"]) as service:
        assert collect(service, ["AirCare"], api=api, credential=_user(time)).accounts == 1
        with HttpClient(service.url, _user(time), rng=Random(1), clock=time) as caller:
            made = V1(caller, Budget()) if api == "v1" else V2(caller, Budget(), None)
            assert len(list(made.search_users("care", 10))) == 1
    assert service.signed == len(service.calls) - 2  # each try has a nonce of its own; two never got to the door


@pytest.mark.parametrize("broken", range(4))
def test_a_wrong_key_is_refused_and_never_shown(broken: int, time: Time, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    keys = [*USER]
    keys[broken] = "hush+wrong/="
    told: list[str] = []
    with (
        Service(World(), access="user", now=time.now) as service,
        HttpClient(service.url, UserToken(*keys, now=time.now), rng=Random(1), clock=time, say=told.append) as caller,
        pytest.raises(RefusedError, match="401") as caught,
    ):
        caller.get("/users/search.json", {"q": "a b", "page": 1, "count": 20})
    shown = "".join(traceback.format_exception(caught.value)) + caplog.text + "".join(told)
    assert "found OAuth" in shown  # the double sends back what it was sent
    for secret in (*keys, "hush%2Bwrong%2F%3D", "hush"):
        assert secret not in shown


def test_an_app_is_let_in_with_a_token_for_its_key_and_secret(
    collect: Callable[..., CollectionResult], time: Time
) -> None:
    world = World()
    world.say("AirCare", "we are here", world.say("anna", "where is it ?"))
    world.open_account("AirCare")
    with Service(world, access="app", now=time.now, faults=["503", "cut"]) as service:
        with HttpClient(service.url, AppKeys(*APP), rng=Random(1), clock=time) as host:
            token = app_token(host)
        assert host.calls == 3
        assert collect(service, ["AirCare"], credential=token).accounts == 1
        caller = HttpClient(service.url, token, rng=Random(1), clock=time)
        with caller, pytest.raises(RefusedError, match=r"403.*--access user"):  # a search wants a user
            list(V1(caller, Budget()).search_users("care", 10))


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"token_type": "mac", "access_token": "hush"},
        {"token_type": "bearer", "access_token": "hush hush"},
        {"token_type": "bearer", "access_token": 7},
    ],
)
def test_an_answer_without_a_token_is_told_and_not_repeated(body: Any, time: Time) -> None:
    with Service(World(), access="app") as service:
        service.answer = lambda *_: (200, body, {})  # type: ignore[method-assign]  # a service of another kind
        host = HttpClient(service.url, AppKeys(*APP), rng=Random(1), clock=time)
        with host, pytest.raises(CallError, match="no bearer token") as caught:
            app_token(host)
    assert "hush" not in str(caught.value)


def test_wrong_app_keys_are_refused_and_never_shown(time: Time) -> None:
    with Service(World(), access="app") as service:
        caller = HttpClient(service.url, AppKeys("hush", "hush/2"), rng=Random(1), clock=time)
        with caller, pytest.raises(RefusedError) as caught:
            app_token(caller)
    assert "found Basic ***" in str(caught.value)
    assert "hush" not in str(caught.value)


def test_keys_of_an_app_are_not_shown_when_they_are_repeated_after_the_exchange(time: Time) -> None:
    keys = ("hushKey+1", "hush/Secret=2")
    basic = AppKeys(*keys).header()["Authorization"].removeprefix("Basic ")
    forms = [*keys, *(quote(key, safe="") for key in keys), *(quote(key, safe="").lower() for key in keys), basic]
    with _Granting(World()) as service, HttpClient(service.url, AppKeys(*keys), rng=Random(1), clock=time) as host:
        token = app_token(host)
    for form in [*forms, "hushToken"]:
        shown = token.hidden_in(json.dumps({"detail": f"no {form} here", "basic": basic}))
        assert "hush" not in shown.lower()
        assert basic not in shown


def test_credentials_show_themselves_nowhere(time: Time) -> None:
    for one in (_user(time), AppKeys(*APP)):
        assert repr(one) == str(one) == f"{type(one).__name__}(***)"
        with pytest.raises(TypeError):
            pickle.dumps(one)


class _Granting(Service):
    """A service that gives everybody a token."""

    def answer(self, *_: object) -> tuple[int, Any, dict[str, str]]:
        return 200, {"token_type": "bearer", "access_token": "hushToken"}, {}


def _user(time: Time) -> UserToken:
    return UserToken(*USER, now=time.now)
