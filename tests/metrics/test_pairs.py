from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.metrics import pairs as module
from duologue.metrics.ngrams import clipped, joined_ngrams, ngrams
from duologue.metrics.overlap import count_overlap
from duologue.metrics.pairs import COLUMNS, PairCounter

# words that make the same text in several ways, an empty one, one beyond the basic plane, half a surrogate pair
word = st.sampled_from(["a", "b", "ab", "ba", "aba", "", "好", "好的", "的", "\U0001f600", "\ud800"])
tokens = st.lists(word, max_size=9)
corpora = st.lists(st.tuples(tokens, tokens), max_size=12)
Tokens = list[str]


def plainly(said: Tokens, wanted: Tokens) -> list[int]:
    chars = count_overlap("".join(said), "".join(wanted))
    two, other = ngrams(said, 2), ngrams(wanted, 2)
    joined = clipped(joined_ngrams(said, 2), joined_ngrams(wanted, 2))
    words = count_overlap(said, wanted)
    return [*chars, words.said, words.wanted, words.hits, words.said, clipped(two, other), joined, len(two)]


@given(corpora)
def test_the_counts_are_those_of_the_plain_functions(corpus: list[tuple[Tokens, Tokens]]) -> None:
    said, wanted = [pair[0] for pair in corpus], [pair[1] for pair in corpus]
    counter = PairCounter()
    counts = counter.add(said, wanted)
    assert counts.shape == (len(corpus), len(COLUMNS))
    assert counts.tolist() == [plainly(*pair) for pair in corpus]
    assert counter.different_words() == len(set(chain.from_iterable(said)))
    assert counter.different_bigrams(joined=False) == len({gram for one in said for gram in ngrams(one, 2)})
    assert counter.different_bigrams(joined=True) == len({gram for one in said for gram in joined_ngrams(one, 2)})


@given(corpora, corpora)
def test_pairs_in_two_portions_count_as_in_one(
    first: list[tuple[Tokens, Tokens]], second: list[tuple[Tokens, Tokens]]
) -> None:
    parts, whole = PairCounter(), PairCounter()
    counts = [parts.add([pair[0] for pair in part], [pair[1] for pair in part]) for part in (first, second)]
    both = first + second
    assert np.concatenate(counts).tolist() == whole.add([one for one, _ in both], [two for _, two in both]).tolist()
    for joined in (False, True):
        assert parts.different_bigrams(joined=joined) == whole.different_bigrams(joined=joined)


@settings(max_examples=20)
@given(corpora)
def test_small_blocks_and_hashes_that_never_differ_change_nothing(corpus: list[tuple[Tokens, Tokens]]) -> None:
    said, wanted = [pair[0] for pair in corpus], [pair[1] for pair in corpus]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LINES", 2)
        patch.setattr(module, "_KEPT", 3)
        patch.setattr(module, "_BASE", 0)  # a word is hashed by its last character alone
        counter = PairCounter()
        assert counter.add(said, wanted).tolist() == [plainly(*pair) for pair in corpus]
        assert counter.different_bigrams(joined=True) == len({gram for one in said for gram in joined_ngrams(one, 2)})


def test_very_long_words_are_the_same_text_wherever_they_are_cut() -> None:
    text = "好" * 1_500 + "x" + "y" * 2_000
    cuts = [[text[:at], text[at:]] for at in (1, 700, 1024, 1501, 3_000)]
    counter = PairCounter()
    counts = counter.add(cuts, [cuts[0]] * len(cuts))
    assert counts[:, COLUMNS.index("2-grams joined hit")].tolist() == [1] * len(cuts)
    assert counts[:, COLUMNS.index("2-grams hit")].tolist() == [1, 0, 0, 0, 0]
    assert counter.different_bigrams(joined=True) == 1
    assert counter.different_bigrams(joined=False) == len(cuts)


def test_a_corpus_of_many_blocks_and_many_words_is_counted_alike() -> None:
    said = [[f"w{number * step % 5003}" for step in range(7)] for number in range(5_000)]
    wanted = [[f"w{number * step % 5003}" for step in range(3, 9)] for number in range(5_000)]
    counter = PairCounter()
    assert counter.add(said, wanted).tolist() == [plainly(*pair) for pair in zip(said, wanted, strict=True)]
    assert counter.different_bigrams(joined=True) == len({gram for one in said for gram in joined_ngrams(one, 2)})
