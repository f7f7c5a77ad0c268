from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from duologue.challenges.mobilecs.scoring.dialogue.bleu import COLUMNS, bleu_counts
from duologue.challenges.mobilecs.scoring.dialogue.metrics import CharacterBleu, Success


def bleu(pairs: list[tuple[str, str]], *, official: bool) -> float:
    counted = [bleu_counts(said, true, capped=official) for said, true in pairs]
    sums = np.array([sum(one[column] for one in counted) for column in COLUMNS], dtype=float)
    return float(CharacterBleu(official=official).total(sums))


def test_blanks_are_no_characters() -> None:
    assert bleu_counts("十 三\u3000块", "十三块") == bleu_counts("十三块", "十三块")


def test_lengths_that_are_very_far_apart_get_the_official_reference_length() -> None:
    for length, reference in ((1000, 1000), (999, 999)):
        assert bleu_counts("", "好" * length)["bleu reference"] == reference
    assert bleu_counts("", "好" * 2000)["bleu reference"] == 1000
    assert bleu_counts("", "好" * 2000, capped=False)["bleu reference"] == 2000


def test_a_perfect_copy_is_100_or_a_little_more() -> None:
    pairs = [("您的话费还有十三块九", "您的话费还有十三块九")]
    assert bleu(pairs, official=False) == 100
    assert 100 < bleu(pairs, official=True) < 100.001


def test_silence_is_0_and_an_official_division_by_zero() -> None:
    assert bleu([("", "好")], official=False) == 0
    assert math.isnan(bleu([("", "好")], official=True))


lines = st.text("甲乙丙", min_size=1, max_size=8)


@given(st.lists(st.tuples(lines, lines), min_size=1, max_size=4))
def test_the_plain_formula_is_that_of_sacrebleu(pairs: list[tuple[str, str]]) -> None:
    oracle = BLEU(tokenize="none", smooth_method="none", force=True, effective_order=False)
    expected = oracle.corpus_score([" ".join(said) for said, _ in pairs], [[" ".join(true) for _, true in pairs]])
    assert bleu(pairs, official=False) == pytest.approx(expected.score, abs=1e-9)


@given(st.lists(st.tuples(lines, lines), min_size=1, max_size=4))
def test_no_reply_is_better_than_the_reference(pairs: list[tuple[str, str]]) -> None:
    for official in (True, False):
        assert bleu(pairs, official=official) <= bleu([(true, true) for _, true in pairs], official=official) + 1e-4


def test_success_is_a_share_of_the_dialogues_with_requests() -> None:
    for empty in (0.0, math.nan):
        formula = Success(empty=empty, rule="in any reply")
        found = formula.total(np.array([[4.0, 1.0], [0.0, 0.0]]))
        assert found[0] == 0.25
        assert found[1] == empty or math.isnan(empty)
