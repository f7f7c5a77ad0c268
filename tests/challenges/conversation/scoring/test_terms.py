from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.scoring.terms import terms, tokens


@given(st.text(st.characters(codec=None)))
def test_terms_have_no_white_space_and_are_never_long(text: str) -> None:
    assert all(term and len(term) <= 64 and term.split() == [term] for term in terms(text))


def test_tokens_and_plain_writing_give_the_same_terms() -> None:
    assert terms("<USER> , isn 't it 8 PM ?") == terms("<USER>, isn't it 8 pm?")


def test_tokens_keep_every_sign() -> None:
    assert tokens("<USER>, OK?!") == ["<", "user", ">", ",", "ok", "?", "!"]


def test_of_very_long_words_sixty_four_signs_are_kept() -> None:
    for cut in (terms, tokens):
        assert cut(f"{'a' * 64} {'b' * 65} {'C' * 200}") == ["a" * 64, "b" * 64, "c" * 64]
