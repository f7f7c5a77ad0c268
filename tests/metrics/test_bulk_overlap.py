from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.metrics import bulk_overlap, lexicon
from duologue.metrics.bulk_overlap import COLUMNS, PairCounter
from duologue.metrics.ngrams import clipped, joined_ngrams, ngrams
from duologue.metrics.overlap import count_overlap

# words that make the same text in several ways, an empty one, one beyond the basic plane, half a surrogate pair, a tab
word = st.sampled_from(["a", "b", "ab", "ba", "aba", "abab", "", "好", "好的", "的", "\U0001f600", "\ud800", "\t"])
text = st.lists(word, max_size=9).map(" ".join)
corpora = st.lists(st.tuples(text, text), max_size=12)
Corpus = list[tuple[str, str]]


def cut(line: str, *, empty_words: bool) -> list[str]:
    return [one for one in line.split(" ") if one or empty_words]


def plainly(left: str, right: str, *, empty_words: bool) -> list[int]:
    said, wanted = cut(left, empty_words=empty_words), cut(right, empty_words=empty_words)
    chars = count_overlap("".join(said), "".join(wanted))
    two, other = ngrams(said, 2), ngrams(wanted, 2)
    joined = clipped(joined_ngrams(said, 2), joined_ngrams(wanted, 2))
    words = count_overlap(said, wanted)
    return [*chars, words.said, words.wanted, words.hits, words.said, clipped(two, other), joined, len(two)]


def hold(counter: PairCounter, corpus: Corpus, *, empty_words: bool) -> None:
    """Assert that a counter counts as the plain functions do."""
    counts = counter.add([said for said, _ in corpus], [wanted for _, wanted in corpus])
    assert counts.shape == (len(corpus), len(COLUMNS))
    assert counts.tolist() == [plainly(*pair, empty_words=empty_words) for pair in corpus]
    kept = [counter.said(1), counter.said(2), counter.said(2, joined=True)]
    answers = [cut(said, empty_words=empty_words) for said, _ in corpus]
    assert counter.different_words() == len(set(chain.from_iterable(answers)))
    assert counter.different_bigrams(joined=False) == len({gram for one in answers for gram in ngrams(one, 2)})
    assert counter.different_bigrams(joined=True) == len({gram for one in answers for gram in joined_ngrams(one, 2)})
    for codes, (n, key) in zip(kept, ((1, "tuple"), (2, "tuple"), (2, "joined")), strict=True):
        made = joined_ngrams if key == "joined" else ngrams
        grams = [gram for one in answers for gram in made(one, n)]
        assert len(set(zip(codes.tolist(), grams, strict=True))) == len(set(grams)) == len(set(codes.tolist()))


@pytest.mark.parametrize("empty_words", [True, False])
@given(corpus=corpora)
def test_the_counts_are_those_of_the_plain_functions(corpus: Corpus, *, empty_words: bool) -> None:
    hold(PairCounter(empty_words=empty_words, keep=99), corpus, empty_words=empty_words)


@given(corpora, corpora)
def test_pairs_in_two_portions_count_as_in_one(first: Corpus, second: Corpus) -> None:
    parts, whole = PairCounter(empty_words=True), PairCounter(empty_words=True)
    counts = [parts.add([pair[0] for pair in part], [pair[1] for pair in part]) for part in (first, second)]
    both = first + second
    assert np.concatenate(counts).tolist() == whole.add([one for one, _ in both], [two for _, two in both]).tolist()
    for joined in (False, True):
        assert parts.different_bigrams(joined=joined) == whole.different_bigrams(joined=joined)


@pytest.mark.parametrize("empty_words", [True, False])
@settings(max_examples=50)
@given(corpus=corpora)
def test_small_blocks_full_tables_and_useless_hashes_change_nothing(corpus: Corpus, *, empty_words: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk_overlap, "_LINES", 2)
        patch.setattr(bulk_overlap, "_KEPT", 3)
        patch.setattr(lexicon, "_BASE", 0)  # a text is hashed by its last character alone
        patch.setattr(lexicon, "_PLACES", 1)
        patch.setattr(lexicon, "_PIECE", 2)
        hold(PairCounter(empty_words=empty_words, keep=99), corpus, empty_words=empty_words)


def test_very_long_words_are_the_same_text_wherever_they_are_cut() -> None:
    whole = "好" * 1_500 + "x" + "y" * 2_000
    cuts = [f"{whole[:at]} {whole[at:]}" for at in (1, 700, 1024, 1501, 3_000)]
    counter = PairCounter(empty_words=True)
    counts = counter.add(cuts, [cuts[0]] * len(cuts))
    assert counts[:, COLUMNS.index("2-grams joined hit")].tolist() == [1] * len(cuts)
    assert counts[:, COLUMNS.index("2-grams hit")].tolist() == [1, 0, 0, 0, 0]
    assert counter.different_bigrams(joined=True) == 1
    assert counter.different_bigrams(joined=False) == len(cuts)


def test_a_corpus_of_many_blocks_and_many_words_is_counted_alike() -> None:
    said = [" ".join(f"{number * step % 5003}" for step in range(7)) for number in range(3_000)]
    wanted = [" ".join(f"{number * step % 5003}" for step in range(3, 9)) for number in range(3_000)]
    hold(PairCounter(empty_words=False, keep=9_999), list(zip(said, wanted, strict=True)), empty_words=False)


def test_bigrams_of_one_text_are_one_in_every_line_of_a_block() -> None:
    said, wanted = ([form.format(n) for n in range(1_100)] for form in ("a bc{0} ab c{0}", "ab c{0} x"))
    counts = PairCounter(empty_words=True).add(said, wanted)
    assert (counts[:, COLUMNS.index("2-grams joined hit")] == 1).all()


def test_characters_of_the_last_plane_are_counted_in_their_own_lines() -> None:
    corpus = [("\U0010ffff", "a"), ("b", "\U0010ffff"), ("\U0010ffff b", "\U0010ffff")]
    hold(PairCounter(empty_words=True, keep=9), corpus, empty_words=True)


def test_no_more_is_kept_than_asked_for() -> None:
    counter = PairCounter(empty_words=True, keep=2)
    counter.add(["a b", "c"], ["a", "b"])
    assert len(counter.said(1)) == 3
    counter.add(["d"], ["e"])
    with pytest.raises(ValueError, match="more pairs than are kept"):
        counter.said(1)


def test_what_are_no_pairs_of_lines_is_refused() -> None:
    with pytest.raises(ValueError, match="2 answers are given for 1"):
        PairCounter(empty_words=True).add(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="line feed"):
        PairCounter(empty_words=True).add(["a\nb"], ["a"])


def test_unless_asked_nothing_is_kept_of_what_was_said() -> None:
    counter = PairCounter(empty_words=True)
    counter.add(["a b"], ["a b"])
    with pytest.raises(ValueError, match="more pairs than are kept"):
        counter.said(1)


def test_bigrams_that_return_are_not_held_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_overlap, "_KEPT", 8)
    counter, held = PairCounter(empty_words=True), []
    for line in ["a b", *["a b c d e f"] * 50]:  # five bigrams, after a portion of one
        counter.add([line], ["a"])
        held.append(sum(map(len, counter._bigrams)))
    assert 5 < max(held) <= 5 + 8
    assert counter.different_bigrams(joined=False) == 5
