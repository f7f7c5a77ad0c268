from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.metrics import tokens as module
from duologue.metrics.tokens import number_characters, number_grams, number_texts, number_tokens

texts = st.lists(st.lists(st.sampled_from("abc"), max_size=6), max_size=5)


def test_tokens_are_numbered_by_their_first_occurrence() -> None:
    tokens = number_tokens([["b", "a"], [], ["a", "c"]])
    assert tokens.numbers.tolist() == [0, 1, 1, 2]
    assert tokens.texts.tolist() == [0, 0, 2, 2]
    assert tokens.ends.tolist() == [2, 2, 4, 4]
    assert tokens.lengths.tolist() == [2, 0, 2]
    assert tokens.vocabulary == 3


def test_characters_are_numbered_by_their_code_points() -> None:
    tokens = number_characters(["好a", "", "\ud800\U0001f600"])
    assert tokens.numbers.tolist() == [ord("好"), ord("a"), 0xD800, 0x1F600]
    assert tokens.lengths.tolist() == [2, 0, 2]
    assert tokens.vocabulary > 0x10FFFF


def test_no_text_has_no_tokens() -> None:
    tokens = number_tokens([])
    assert len(tokens.numbers) == 0
    assert [len(grams.numbers) for grams in number_grams(tokens, 4)] == [0, 0, 0, 0]


@given(st.lists(st.text(st.sampled_from("ab \t\u00a0\u2028\ud800")), max_size=5))
def test_texts_are_cut_together_as_they_are_one_by_one(batch: list[str]) -> None:
    expected = number_tokens([text.split() for text in batch])
    with pytest.MonkeyPatch.context() as patch:
        for chunk in (2, 100):
            patch.setattr(module, "_CHUNK", chunk)
            found = number_texts(batch)
            assert found.vocabulary == expected.vocabulary
            for together, alone in zip(found[:4], expected[:4], strict=True):
                assert np.array_equal(together, alone)


@given(texts)
def test_equal_grams_and_only_they_have_equal_numbers(batch: list[list[str]]) -> None:
    for grams in number_grams(number_tokens(batch), 4):
        expected = [
            (number, tuple(text[at : at + grams.order]))
            for number, text in enumerate(batch)
            for at in range(len(text) - grams.order + 1)
        ]
        assert grams.texts.tolist() == [number for number, _ in expected]
        pairs = set(zip(grams.numbers.tolist(), (gram for _, gram in expected), strict=True))
        assert len(pairs) == len({number for number, _ in pairs}) == len({gram for _, gram in pairs})
        assert not len(grams.numbers) or int(np.max(grams.numbers)) < grams.kinds
