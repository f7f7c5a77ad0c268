from __future__ import annotations

import pytest

from duologue.challenges.conversation.collector.credential import checked_address, demand_encrypted, is_header_text
from duologue.core.errors import UsageError


def test_an_address_is_taken_apart_and_refused_without_its_password() -> None:
    assert checked_address("https://api.x.com/1.1").netloc == "api.x.com"
    for address in ("ftp://api.x.com", "api.x.com", "https://me:word@api.x.com", "http://me:word@[::1"):
        with pytest.raises(UsageError) as caught:
            checked_address(address)
        assert "word" not in str(caught.value).replace("password", "")


def test_secrets_travel_unencrypted_to_this_machine_alone() -> None:
    for address in ("https://api.x.com", "http://127.0.0.1:80", "http://[::1]", "http://localhost"):
        demand_encrypted(checked_address(address))
    for address in ("http://api.x.com", "http://127.0.0.1.example.com"):
        with pytest.raises(UsageError, match="not encrypted"):
            demand_encrypted(checked_address(address))


def test_what_a_header_can_hold() -> None:
    assert is_header_text("AAAA%2Fx=")
    assert not any(map(is_header_text, ("", "two words", "line\nbreak", "ü")))
