from __future__ import annotations

import pytest

from duologue.endpoints.secret import VARIABLE, Secret
from duologue.endpoints.server_words import refusal, said_by_server

SECRET = Secret("sk-hush-hush")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "nothing"),
        (b" \n", "nothing"),
        (b'{"error": {"message": "no quota"}}', "no quota"),
        (b'{"error": {"message": " "}}', '{"message":" "}'),
        (b'{"error": "no quota"}', "no quota"),
        (b'{"detail": "no quota"}', '{"detail":"no quota"}'),
        (b"<html>\x1b[31m\xff", r"<html>\x1b[31m\\xff"),
        (b'{"error": {"message": "bad \\u0073k-hush-hush"}}', "bad [key]"),
        (b"x" * 195 + b"sk-hush-hush", "x" * 195 + "[key]"),
        (b'"\\ud800"', r'"\\ud800"'),
        (b"[" * 100_000, "[" * 200 + "..."),
    ],
    ids=range(11),
)
def test_what_a_server_says_is_told_short_on_a_line_and_without_the_key(data: bytes, said: str) -> None:
    assert said_by_server(data, SECRET) == said


def test_a_refusal_says_what_to_look_at() -> None:
    assert refusal(307, b"", "http://x/sk-hush-hush", SECRET) == (
        "sends elsewhere (307, to http://x/[key]), which is not followed"
    )
    assert refusal(301, b"gone", "", SECRET) == "sends elsewhere (301), which is not followed"
    assert refusal(403, b"no", "", SECRET) == f"refuses with status 403: no; its key is taken from {VARIABLE}"
    assert refusal(418, b"no", "", SECRET) == "refuses with status 418: no"
