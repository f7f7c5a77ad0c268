from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.systems.tokenizer import JOINED, detokenize, tokenize


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("It is at 71 Elm Street.", ["It", "is", "at", "71", "Elm", "Street", f"{JOINED}."]),
        ("call 555-0100, don't wait...", ["call", "555-0100", f"{JOINED},", "don't", "wait", f"{JOINED}..."]),
        ('("yes")', [f'("{JOINED}', "yes", f'{JOINED}")']),
        ("sorry , <USER> ! <URL>.", ["sorry", ",", "<USER>", "!", "<URL>", f"{JOINED}."]),
        ("(<URL>)", [f"({JOINED}", "<URL>", f"{JOINED})"]),
        ("@adobe #help $12.50", ["@adobe", "#help", "$12.50"]),
        ("😂 ... <3", ["😂", "...", f"<{JOINED}", "3"]),
        ("", []),
    ],
)
def test_words_stand_apart_from_the_punctuation_around_them(text: str, pieces: list[str]) -> None:
    assert tokenize(text) == pieces
    assert detokenize(pieces) == text


def test_words_alone_are_what_white_space_parts() -> None:
    assert tokenize("At 11:30 (San\u00a0Jose)?", "words") == ["At", "11:30", "(San", "Jose)?"]


@given(st.text().filter(lambda text: JOINED not in text))
def test_any_text_comes_back_with_single_spaces(text: str) -> None:
    assert detokenize(tokenize(text)) == " ".join(text.split())


@given(st.lists(st.text(alphabet=f"a.{JOINED} ")))
def test_the_mark_itself_as_a_word_breaks_nothing(words: list[str]) -> None:
    assert isinstance(detokenize(tokenize(" ".join(words))), str)
