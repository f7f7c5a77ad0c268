from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duologue.models.vocabulary import END, SPECIAL, UNKNOWN, CopyVocabulary

TEXTS = st.lists(st.text("abcdefgh", min_size=1, max_size=2), max_size=8)


def test_frequent_words_come_first_and_ties_by_code_point() -> None:
    words = CopyVocabulary.of([["b", "a", "c"], ["c", "b", "d"]])
    assert words.words == ("b", "c", "a", "d")
    assert words.target(["b", "d"]) == [4, 7]
    assert CopyVocabulary.of([["b", "a", "c"], ["c", "b", "d"]], least=2).words == ("b", "c")
    assert CopyVocabulary.of([["b", "a", "c"], ["c", "b", "d"]], limit=1).words == ("b",)


@given(TEXTS, TEXTS)
def test_whatever_stands_in_the_source_can_be_said(known: list[str], source: list[str]) -> None:
    words = CopyVocabulary.of([known])
    numbers, unknown = words.source(source)
    assert words.target(source, unknown) == numbers
    assert words.text(numbers, unknown) == source
    assert unknown == list(dict.fromkeys(word for word in source if word not in known))


def test_a_special_word_that_is_said_is_a_word_like_others() -> None:
    words = CopyVocabulary(["a"])
    numbers, unknown = words.source(["<eos>", "a", "<pad>"])
    assert numbers == [5, 4, 6]
    assert unknown == ["<eos>", "<pad>"]
    assert words.target(["<eos>"]) == [UNKNOWN]
    assert words.text([END]) == [SPECIAL[END]]
