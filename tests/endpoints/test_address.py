from __future__ import annotations

import pytest

from duologue.core.errors import UsageError
from duologue.endpoints.address import base_address, checked_address

EXAMPLE = "http://127.0.0.1:8080/v1"


def test_an_address_is_taken_apart() -> None:
    parts = checked_address("https://api.example.org:8443/v1", EXAMPLE, query=False)
    assert (parts.scheme, parts.hostname, parts.port, parts.path) == ("https", "api.example.org", 8443, "/v1")
    assert checked_address("http://x/?a=1", EXAMPLE).query == "a=1"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.example.org",
        "ftp://x/",
        "file:///etc/passwd",
        "http://",
        "http://x:99999/",
        "http://é/",
        "http://x/\n",
        "http://x/v1 ",
        " http://x/v1",
        "unix:///run/model.sock",
        "/run/model.sock",
        "http://[::1/v1",
    ],
)
def test_what_is_no_address_of_the_web_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="--set url="):
        checked_address(url, EXAMPLE)


def test_every_endpoint_has_one_rule_for_its_base() -> None:
    with pytest.raises(UsageError, match="kept beside every result"):
        base_address("http://x/?a=1", EXAMPLE)
    bases = {
        base_address(f"HTTP://x:8000{path}", EXAMPLE) for path in ("", "/", "/v1", "/v1//", "/v1/chat/completions/")
    }
    assert bases == {"http://x:8000/v1"}


def test_secrets_in_an_address_are_refused_and_not_shown() -> None:
    for url in ("http://me:hunter22@x/", "http://x/v1?key=hunter22", "http://x/v1#hunter22", "ftp://hunter22@x/"):
        with pytest.raises(UsageError, match="would be kept beside every result") as told:
            checked_address(url, EXAMPLE, query=False)
        assert "hunter22" not in str(told.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://me:hunter22@x:99999/",
        "http://me:hunter22@[x/",
        "http://me:hunter22@x:y/",
        "http://x:99999/?key=hunter22",
        "ftp://x/#hunter22",
    ],
)
def test_what_is_no_address_is_refused_without_its_secrets(url: str) -> None:
    with pytest.raises(UsageError, match="--url ") as told:
        checked_address(url, EXAMPLE, query=False, given="--url ")
    assert "hunter22" not in str(told.value)
