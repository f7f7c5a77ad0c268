from __future__ import annotations

import base64
import pickle

import pytest

from duologue.core.errors import UsageError
from duologue.endpoints.secret import VARIABLE, Secret

KEY = "sk-abcdefgh"


def test_only_the_header_has_the_key() -> None:
    secret = Secret(KEY)
    assert secret.headers() == {"Authorization": f"Bearer {KEY}"}
    assert KEY not in repr(secret) + str(secret) + f"{secret}"
    assert not hasattr(secret, "__dict__")
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(secret)
    assert Secret().headers() == {}


def test_the_key_is_taken_out_of_whatever_a_server_says() -> None:
    secret = Secret(KEY)
    assert secret.hidden(f"bad {KEY}, {KEY}") == "bad [key], [key]"
    assert secret.hidden_in({KEY: [KEY, 1, None, {"a": f"x{KEY}"}]}) == {"[key]": ["[key]", 1, None, {"a": "x[key]"}]}
    assert Secret().hidden("anything") == "anything"
    assert "".join(secret.hidden_pieces(["bad ", KEY[:5], KEY[5:], "."])) == "bad [key]."
    other = Secret("sk-abc/d+efg=")
    for written in ("sk-abc%2Fd%2Befg%3D", "sk-abc%2fd%2befg%3d", base64.b64encode(b"sk-abc/d+efg=").decode()):
        assert other.hidden(f"found {written}.") == "found [key]."


@pytest.mark.parametrize("key", ["short", "with blank in it", "with\nline-end", "schlüssel-lang"])
def test_what_can_be_no_key_is_refused_without_showing_it(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv(VARIABLE, key)
    with pytest.raises(UsageError, match=VARIABLE) as told:
        Secret.of_environment()
    assert key not in str(told.value)


def test_the_environment_is_the_one_place_where_it_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv(VARIABLE, raising=False)
    assert Secret.of_environment().headers() == {}
    monkeypatch.setenv(VARIABLE, f" {KEY}\n")
    assert Secret.of_environment().headers() == Secret(KEY).headers()
