from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.systems.content_words import content_words, stem_of


@pytest.mark.parametrize(
    "forms",
    [
        ("refund", "refunds", "refunded", "refunding"),
        ("delivery", "deliveries"),
        ("deliver", "delivers", "delivered", "delivering"),
        ("cancel", "cancels"),
        ("arrive", "arrives", "arrived", "arriving"),
        ("box", "boxes"),
        ("address", "addresses"),
        ("stop", "stops", "stopped", "stopping"),
        ("change", "changes", "changed", "changing"),
        ("call", "calls", "called", "calling"),
        ("parcel", "parcels"),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem_of(one) for one in forms}) == 1


def test_different_words_stay_different() -> None:
    words = ["bus", "thing", "red", "need", "bed", "king", "this", "news", "order", "train", "sing", "speed"]
    assert len({stem_of(one) for one in words}) == len(words)


def test_function_words_and_marks_are_left_out() -> None:
    assert content_words("Hi , can I have it ? Don 't !") == []
    assert content_words("Where IS my parcel ?") == ["parcel"]


@given(st.text())
def test_any_text_has_stems_that_are_words(text: str) -> None:
    assert all(content_words(text))
