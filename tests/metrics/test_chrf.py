from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF as SACRE

from duologue.metrics.chrf import CHRF, COLUMNS, count_chrf
from duologue.metrics.corpus_bleu import TokenizedPair

TEXTS = st.text(alphabet="ab c退\u00a0", max_size=12)


@given(st.integers(1, 3), st.data())
def test_the_corpus_score_is_that_of_sacrebleu(references: int, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.tuples(*[TEXTS] * (references + 1)), min_size=1, max_size=5))
    said, wanted = [row[0] for row in rows], [list(row[1:]) for row in rows]
    counted = count_chrf(said, wanted)
    expected = SACRE().corpus_score(said, [list(one) for one in zip(*wanted, strict=True)]).score
    assert 100 * float(CHRF.total(counted.sum(axis=0))) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    each = [SACRE().sentence_score(one, several).score for one, several in zip(said, wanted, strict=True)]
    assert (100 * CHRF.total(counted)).tolist() == pytest.approx(each, rel=1e-12, abs=1e-12)


def test_sentences_score_as_in_sacrebleu() -> None:
    said = ["we are sorry to hear that .", "please dm us", ""]
    wanted = [["we 're sorry to hear this !", "sorry !"], ["please send us a dm .", "dm us ?"], ["ok", ""]]
    expected = SACRE().corpus_score(said, [list(one) for one in zip(*wanted, strict=True)]).score
    assert 100 * float(CHRF.total(count_chrf(said, wanted).sum(axis=0))) == pytest.approx(expected, rel=1e-12)
    assert round(expected, 2) == 65.19


def test_samples_may_have_different_numbers_of_references() -> None:
    counted = count_chrf(["abc", "abc"], [["xyz", "abc"], ["xbc"]])
    assert CHRF.total(counted)[0] == 1
    assert counted[1].tolist() == count_chrf(["abc"], [["xbc"]])[0].tolist()


def test_one_item_counts_as_in_a_batch() -> None:
    seen = TokenizedPair(["a", "b"], [["a", "c"], ["b"]])
    assert CHRF.count(seen) == tuple(count_chrf(["a b"], [["a c", "b"]])[0].tolist())
    assert len(CHRF.count(seen)) == len(COLUMNS) == 18


def test_nothing_matched_is_0_and_a_sample_without_reference_is_refused() -> None:
    assert float(CHRF.total(np.zeros(18))) == 0
    with pytest.raises(ValueError, match="2 hypotheses are given for 1 items"):
        count_chrf(["a", "b"], [["a"]])
    with pytest.raises(ValueError, match="1 hypotheses are given for 2 items"):
        count_chrf(["a"], [["a"], ["b"]])
    with pytest.raises(ValueError, match="item 1 has no reference"):
        count_chrf(["a", "b"], [["a"], []])
