from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import UsageError
from duologue.web import access
from duologue.web.access import AccessTokens, RateLimit, client_of, read_tokens

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "0123456789abcdef"


def test_a_request_must_bear_one_of_the_tokens() -> None:
    tokens = AccessTokens([TOKEN, TOKEN[::-1]])
    assert tokens
    for borne in (f"Bearer {TOKEN}", f"bearer  {TOKEN[::-1]} "):
        assert tokens.admit(borne), borne
    for borne in ("", "Bearer", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}x", "Bearer \x80é"):
        assert not tokens.admit(borne), borne
    assert TOKEN not in repr(vars(tokens))


def test_without_tokens_everybody_may_ask() -> None:
    assert not AccessTokens()
    assert AccessTokens().admit("")


@pytest.mark.parametrize("token", ["short", "with a space in it somewhere", "密" * 20, "x" * 20 + "\x07"])
def test_a_bad_token_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(UsageError, match="token 2") as told:
        AccessTokens([TOKEN, token])
    assert token not in str(told.value)


def test_tokens_stand_in_a_file_one_on_each_line(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"# for the web page\n{TOKEN}\n\n  {TOKEN[::-1]}\n", encoding="utf-8")
    assert read_tokens(path) == [TOKEN, TOKEN[::-1]]
    for held, said in ((b"\n# nobody\n", "no token"), (b"\xff\xfe\xff", "no text")):
        path.write_bytes(held)
        with pytest.raises(UsageError, match=said):
            read_tokens(path)


def test_a_client_has_so_many_requests_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(access, "monotonic", lambda: now)
    limit = RateLimit(3)
    assert [limit.wait("a") for _ in range(3)] == [0, 0, 0]
    assert limit.wait("a") == 20
    assert limit.wait("b") == 0, "others are not held up"
    now += 15
    assert limit.wait("a") == 5
    now += 5
    assert [limit.wait("a"), limit.wait("a")] == [0, 20]
    now += 1e6
    assert [limit.wait("a") > 0 for _ in range(4)] == [False, False, False, True], "no more than a minute's at once"
    assert RateLimit(0).wait("a") == 0


def test_a_limit_forgets_who_has_not_asked_for_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_MAX_REMEMBERED", 2)
    limit = RateLimit(1)
    assert [limit.wait(who) > 0 for who in "abab"] == [False, False, True, True]
    limit.wait("c")
    assert [limit.wait(who) > 0 for who in "bca"] == [True, True, False]


def test_limits_count_an_address_or_a_network_of_64_bits() -> None:
    assert client_of("10.1.2.3") == client_of("::ffff:10.1.2.3") == "10.1.2.3"
    assert client_of("2001:db8::1") == client_of("2001:db8::ffff:1%eth0") == "2001:db8::"
    assert client_of("2001:db8:0:1::1") != client_of("2001:db8::1")
    assert client_of("unix") == "unix"
