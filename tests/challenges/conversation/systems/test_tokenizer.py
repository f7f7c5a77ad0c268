from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.systems.tokenizer import CLOSE, pieces_of, text_of


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("It is at 71 Elm Street.", ["It", "is", "at", "71", "Elm", "Street", f"{CLOSE}."]),
        ("call 555-0100, don't wait...", ["call", "555-0100", f"{CLOSE},", "don't", "wait", f"{CLOSE}..."]),
        ('("yes")', [f'("{CLOSE}', "yes", f'{CLOSE}")']),
        ("sorry , <USER> ! <URL>.", ["sorry", ",", "<USER>", "!", "<URL>", f"{CLOSE}."]),
        ("(<URL>)", [f"({CLOSE}", "<URL>", f"{CLOSE})"]),
        ("@adobe #help $12.50", ["@adobe", "#help", "$12.50"]),
        ("😂 ... <3", ["😂", "...", f"<{CLOSE}", "3"]),
        ("", []),
    ],
)
def test_words_stand_apart_from_the_punctuation_around_them(text: str, pieces: list[str]) -> None:
    assert pieces_of(text) == pieces
    assert text_of(pieces) == text


def test_words_alone_are_what_white_space_parts() -> None:
    assert pieces_of("At 11:30 (San\u00a0Jose)?", "words") == ["At", "11:30", "(San", "Jose)?"]


@given(st.text().filter(lambda text: CLOSE not in text))
def test_any_text_comes_back_with_single_spaces(text: str) -> None:
    assert text_of(pieces_of(text)) == " ".join(text.split())


@given(st.lists(st.text(alphabet=f"a.{CLOSE} ")))
def test_the_mark_itself_as_a_word_breaks_nothing(words: list[str]) -> None:
    assert isinstance(text_of(pieces_of(" ".join(words))), str)
