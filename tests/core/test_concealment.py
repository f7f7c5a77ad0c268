from __future__ import annotations

import base64
import json
import pickle
from itertools import pairwise
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.core.concealment import Concealment
from tests.growth import LINEAR, growth

KEY, SECRET = "key+one/two=", 'hush"three\\four'


@pytest.mark.parametrize("text", [KEY, SECRET, f"{KEY}:{SECRET}", f"{quote(KEY, safe='')}:{quote(SECRET, safe='')}"])
@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
def test_secrets_are_found_however_they_are_written(text: str, before: str) -> None:
    concealment = Concealment(KEY, SECRET)
    for written in (
        text,
        json.dumps(text),
        text if "%" in text else quote(text, safe=""),
        text.upper() if "%" in text else quote(text, safe="").lower(),
        text if "%" in text else quote(quote(text, safe=""), safe=""),
        text if "%" in text else quote(text),
    ):
        shown = concealment.hidden(f"{before} {written}")
        assert "***" in shown
        assert not any(part in shown.upper() for part in ("ONE", "TWO", "HUSH", "THREE", "FOUR"))
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        whole = encode((before + text).encode()).decode()
        for written in (whole, whole.rstrip("="), quote(whole, safe="")):
            shown = concealment.hidden(written)
            assert "***" in shown
            # What is left at the edges of a longer text is at most a few signs that others have a part in.
            assert len(shown.replace("***", "")) <= len(before) * 2 + 9


def test_the_base64_of_basic_authentication_is_hidden_whole() -> None:
    sent = base64.b64encode(b"k:s").decode()
    assert Concealment("k", "s").hidden(f"0 Basic {sent}, {sent.rstrip('=')}") == "0 Ba***ic ***, ***"


SAID = st.lists(st.sampled_from([KEY, KEY.upper(), KEY[:5], quote(KEY, safe=""), "a", "k", "e", "KE", " ", "\u212aey"]))


@given(said=SAID.map("".join), cuts=st.sets(st.integers(0, 80)))
def test_in_pieces_the_same_is_hidden_as_in_the_whole(said: str, cuts: set[int]) -> None:
    places = [0, *sorted(one for one in cuts if 0 < one < len(said)), len(said)]
    pieces = [said[start:end] for start, end in pairwise(places)]
    concealment = Concealment(KEY, "key")
    told = list(concealment.hidden_pieces(pieces))
    assert "".join(told) == concealment.hidden(said)


def test_only_what_may_begin_a_secret_is_held_back() -> None:
    pieces = iter(["one k", "ey", "s"])
    told = Concealment(KEY).hidden_pieces(pieces)
    assert next(told) == "one "
    assert next(pieces) == "ey"
    assert list(told) == ["ks"]
    assert list(Concealment().hidden_pieces(["a", "", "b"])) == ["a", "", "b"]


def test_without_secrets_nothing_is_hidden_and_more_may_come() -> None:
    none = Concealment("", instead="[key]")
    assert none.hidden("hush") == "hush"
    assert none.with_more("hush").hidden("hush") == "[key]"
    assert none.joined(Concealment("one", "two")).hidden("one two") == "[key] [key]"


def test_it_shows_itself_nowhere() -> None:
    concealment = Concealment(KEY)
    assert repr(concealment) == str(concealment) == "Concealment(...)"
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(concealment)


def test_a_piece_of_nothing_but_secrets_is_read_in_time_linear_in_its_length() -> None:
    concealment = Concealment("0123456789")
    assert "".join(concealment.hidden_pieces(["0123456789" * 3])) == "***" * 3
    assert growth(lambda n: ["0123456789" * n], lambda pieces: list(concealment.hidden_pieces(pieces)), 500) < LINEAR


def test_only_secrets_of_eight_signs_and_more_are_found_inside_of_a_longer_base64() -> None:
    for secret, there in (("12345678", True), ("1234567", False)):
        for before in ("", "x", "xy"):
            sent = base64.b64encode(f"{before}{secret}zzzz".encode()).decode()
            assert ("***" in Concealment(secret).hidden(sent)) == there
