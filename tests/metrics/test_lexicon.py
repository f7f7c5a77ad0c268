from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.core.errors import UsageError
from duologue.metrics import lexicon
from duologue.metrics.lexicon import Lexicon, code_points

words = st.lists(st.text(alphabet="ab好\U0010ffff\x00\ud800", max_size=5), max_size=30)


def numbered(book: Lexicon, parts: list[str]) -> list[int]:
    lengths = np.array([len(word) for word in parts], dtype=np.int64)
    text = "".join(parts)
    return [int(number) for number in book.numbers(text, code_points(text), np.cumsum(lengths) - lengths, lengths)]


@given(words, words)
def test_equal_words_have_equal_numbers_and_different_words_different_ones(first: list[str], second: list[str]) -> None:
    book = Lexicon()
    for part in (first, second):
        assert [book.words[number] for number in numbered(book, part)] == part
    assert len(book.words) == len(set(book.words)) == len(set(first) | set(second))


@given(words)
def test_a_full_table_changes_nothing(some: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexicon, "_PLACES", 1)
        book = Lexicon()
        assert [book.words[number] for number in numbered(book, some + some)] == some + some


@given(st.text(alphabet="ab好\x00", max_size=8), st.integers(0, 8), st.integers(0, 8))
def test_a_text_has_one_hash_wherever_it_is_cut(text: str, one: int, two: int) -> None:
    book = Lexicon()
    first, second, third, fourth = (
        np.array([number]) for number in numbered(book, [text[:one], text[one:], text[:two], text[two:]])
    )
    assert book.joined(first, second).tolist() == book.joined(third, fourth).tolist()


def test_more_words_than_can_be_numbered_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 << lexicon.WORD_BITS == 67_108_864
    monkeypatch.setattr(lexicon, "WORD_BITS", 2)
    with pytest.raises(UsageError, match="more than 4 different words"):
        numbered(Lexicon(), ["a", "b", "c", "d", "e"])
