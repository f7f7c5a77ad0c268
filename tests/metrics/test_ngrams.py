from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from duologue.metrics.counts import tally
from duologue.metrics.ngrams import CorpusBleu, Key, Texts, brevity_penalty, clipped, joined_ngrams, ngrams

words = st.lists(st.sampled_from(["a", "b", "ab", "好"]), max_size=8)
corpora = st.lists(st.tuples(words, words), min_size=1, max_size=6)


def bleu(n: int, pairs: list[tuple[list[str], list[str]]], key: Key = "tuple") -> float:
    metric = CorpusBleu(n, key)
    return metric.value(tally([metric], [str(at) for at in range(len(pairs))], [Texts(*pair) for pair in pairs]))


def test_joined_keys_forget_where_one_word_ends() -> None:
    assert ngrams(["ab", "c"], 2) != ngrams(["a", "bc"], 2)
    assert joined_ngrams(["ab", "c"], 2) == joined_ngrams(["a", "bc"], 2) == ["abc"]
    assert bleu(2, [(["ab", "c", "d"], ["a", "bc", "d"])]) == 0
    assert bleu(2, [(["ab", "c", "d"], ["a", "bc", "d"])], "joined") == pytest.approx(math.sqrt(1 / 3 * 1 / 2))


def test_a_match_counts_at_most_as_often_as_it_is_wanted() -> None:
    assert clipped("aaab", "aab") == 3
    assert ngrams(["a"], 2) == []


def test_the_brevity_penalty_is_one_from_equal_length_on() -> None:
    found = brevity_penalty(np.array([4.0, 5.0, 2.0, 0.0]), np.array([4.0, 4.0, 4.0, 4.0]))
    assert found.tolist() == pytest.approx([1, 1, math.exp(-1), 0])


def test_an_order_without_n_grams_gives_zero_and_no_text_gives_no_score() -> None:
    assert bleu(2, [(["a"], ["a"])]) == 0
    assert bleu(1, [(["a"], ["a"])]) == 1
    assert bleu(1, [([], ["a"])]) == 0
    assert math.isnan(bleu(1, [([], [])]))
    with pytest.raises(ValueError, match="orders from 1"):
        CorpusBleu(0)


@given(corpora)
def test_sacrebleu_agrees_on_corpora_that_it_can_score(pairs: list[tuple[list[str], list[str]]]) -> None:
    pairs = [(said, wanted) for said, wanted in pairs if said and wanted]
    if not pairs:
        return
    oracle = BLEU(tokenize="none", smooth_method="none", max_ngram_order=2, force=True)
    expected = oracle.corpus_score([" ".join(said) for said, _ in pairs], [[" ".join(wanted) for _, wanted in pairs]])
    assert bleu(2, pairs) == pytest.approx(expected.score / 100, abs=1e-12)


@given(corpora, st.sampled_from([1, 2, 3]), st.sampled_from(["tuple", "joined"]))
def test_the_references_themselves_are_the_best_answers(
    pairs: list[tuple[list[str], list[str]]], n: int, key: Key
) -> None:
    wanted = [reference for _, reference in pairs]
    best = bleu(n, [(reference, reference) for reference in wanted], key)
    if any(len(reference) >= n for reference in wanted):
        assert best == pytest.approx(1, abs=1e-15)
        assert bleu(n, pairs, key) <= 1
    assert bleu(n, pairs[::-1], key) == pytest.approx(bleu(n, pairs, key), abs=0, nan_ok=True)
