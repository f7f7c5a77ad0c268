from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.metrics.ngrams import char_ngrams, clipped, joined_ngrams, ngrams

words = st.lists(st.sampled_from(["a", "b", "ab", "好"]), max_size=8)


def test_joined_keys_forget_where_one_word_ends() -> None:
    assert ngrams(["ab", "c"], 2) != ngrams(["a", "bc"], 2)
    assert joined_ngrams(["ab", "c"], 2) == joined_ngrams(["a", "bc"], 2) == ["abc"]
    assert clipped(ngrams(["ab", "c", "d"], 2), ngrams(["a", "bc", "d"], 2)) == 0
    assert clipped(joined_ngrams(["ab", "c", "d"], 2), joined_ngrams(["a", "bc", "d"], 2)) == 1


def test_a_match_counts_at_most_as_often_as_it_is_wanted() -> None:
    assert clipped("aaab", "aab") == 3
    assert ngrams(["a"], 2) == []


@pytest.mark.parametrize("n", [1, 2, 3])
@given(said=words, wanted=words)
def test_matches_treat_both_sides_alike_and_are_never_more_than_there_are(
    n: int, said: list[str], wanted: list[str]
) -> None:
    ours, theirs = ngrams(said, n), ngrams(wanted, n)
    assert clipped(ours, theirs) == clipped(theirs, ours) <= min(len(ours), len(theirs))
    assert clipped(ours, ours) == len(ours) == max(0, len(said) - n + 1)
    assert clipped(joined_ngrams(said, n), joined_ngrams(wanted, n)) >= clipped(ours, theirs)


@given(st.text("ab好\n", max_size=8), st.integers(1, 4), st.integers(1, 4))
def test_character_n_grams_are_those_of_the_characters_as_tokens(text: str, least: int, longest: int) -> None:
    assert char_ngrams(text, least, longest) == [
        gram for n in range(least, longest + 1) for gram in joined_ngrams(list(text), n)
    ]
