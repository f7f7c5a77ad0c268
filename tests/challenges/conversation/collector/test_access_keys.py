from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.conversation.collector.access_keys import KEY_VARIABLES, credential_for, read_config
from duologue.challenges.conversation.collector.bearer_token import Token
from duologue.challenges.conversation.collector.oauth import AppKeys, UserToken
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

THERE = "https://api.x.com"
HERE = "http://127.0.0.1:8080"
OFFICIAL = """[AccessKeys]
ConsumerKey = hushKey
ConsumerSecret = hush%Secret
AccessToken = 12-hushToken
AccessTokenSecret = hushTokenSecret
"""
KEYS = dict(zip(KEY_VARIABLES, ("hush1", "hush2", "hush3", "hush4"), strict=True))
BEARER = {"X_BEARER_TOKEN": "hush5"}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.ini"
    path.write_text(OFFICIAL)
    return path


def test_the_official_config_is_read_signs_of_percent_included(config: Path) -> None:
    assert read_config(config) == ("hushKey", "hush%Secret", "12-hushToken", "hushTokenSecret")
    config.write_text("\ufeff" + OFFICIAL.replace("\n", "\r\n").split("AccessToken")[0])
    assert read_config(config) == ("hushKey", "hush%Secret", "", "")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("ConsumerKey = hush\n", "line 1 stands before the first section"),
        ("[AccessKeys]\nhush and nothing else\n", "line 2 is no setting"),
        ("[AccessKeys]\nConsumerKey = hush\nConsumerKey = hush\n", "line 3 says something a second time"),
        ("[Keys]\nConsumerKey = hush\n", r"no section \[AccessKeys\]"),
        ("[AccessKeys]\nConsumerKey = hush \udcff\n", "not UTF-8"),
    ],
)
def test_a_broken_config_is_told_without_what_it_holds(text: str, match: str, tmp_path: Path) -> None:
    path = tmp_path / "config.ini"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=match) as caught:
        read_config(path)
    assert "hush" not in "".join(traceback.format_exception(caught.value)).replace(str(path), "")


def test_what_is_there_says_how_calls_are_made(config: Path) -> None:
    app = {name: KEYS[name] for name in KEY_VARIABLES[:2]}
    assert isinstance(credential_for(THERE, environment=BEARER | KEYS), Token)
    assert isinstance(credential_for(THERE, environment=BEARER | KEYS, prefer_user=True), UserToken)
    assert isinstance(credential_for(THERE, environment=BEARER | app, prefer_user=True), Token)
    assert isinstance(credential_for(THERE, environment=KEYS), UserToken)
    assert isinstance(credential_for(THERE, environment=app), AppKeys)
    assert isinstance(credential_for(THERE, environment=BEARER, config=config), UserToken)
    assert isinstance(credential_for(THERE, environment={}, config=config, access="app"), AppKeys)
    assert isinstance(credential_for(THERE, environment=BEARER, config=config, access="bearer"), Token)
    assert credential_for(HERE, environment={}) is None


@pytest.mark.parametrize("access", ["bearer", "user", "app"])
def test_all_keys_that_were_read_are_hidden_whichever_is_sent(access: str) -> None:
    made = credential_for(THERE, access=access, environment=BEARER | KEYS)  # type: ignore[arg-type]  # words of the table
    assert made is not None
    assert made.hidden_in(" ".join([*KEYS.values(), *BEARER.values()])) == " ".join(["***"] * 5)


@pytest.mark.parametrize(
    ("environment", "access", "address", "match"),
    [
        ({}, "auto", THERE, "X_BEARER_TOKEN.*--config"),
        ({}, "bearer", HERE, "X_BEARER_TOKEN is not set"),
        ({KEY_VARIABLES[0]: "hush"}, "auto", THERE, "X_CONSUMER_SECRET"),
        (dict.fromkeys(KEY_VARIABLES[:3], "hush"), "auto", THERE, "not set: the variable X_ACCESS_TOKEN_SECRET$"),
        (BEARER, "user", THERE, "X_CONSUMER_KEY, .*X_ACCESS_TOKEN_SECRET"),
        (KEYS, "user", "http://api.x.com", "not encrypted"),
        (KEYS | {KEY_VARIABLES[1]: "hush hush"}, "user", THERE, "X_CONSUMER_SECRET is no key"),
    ],
)
def test_what_is_missing_is_named(environment: dict[str, str], access: str, address: str, match: str) -> None:
    with pytest.raises(UsageError, match=match) as caught:
        credential_for(address, access=access, environment=environment)  # type: ignore[arg-type]  # words of the table
    assert "hush" not in str(caught.value)


def test_a_key_of_the_config_that_is_missing_is_named_with_the_file(config: Path) -> None:
    config.write_text(OFFICIAL.replace("AccessTokenSecret = hushTokenSecret", ""))
    with pytest.raises(UsageError, match=r"AccessTokenSecret of \[AccessKeys\] in .*config.ini") as caught:
        credential_for(THERE, config=config, environment={})
    assert "hush" not in str(caught.value)
