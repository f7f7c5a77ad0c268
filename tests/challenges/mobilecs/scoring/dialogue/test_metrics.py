from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from duologue.challenges.mobilecs.scoring.dialogue import official as official_program
from duologue.challenges.mobilecs.scoring.dialogue import strict
from duologue.challenges.mobilecs.scoring.dialogue.metrics import BLEU_COLUMNS, count_replies, formulas
from duologue.core.records import Answer


def bleu(pairs: list[tuple[str, str]], *, official: bool) -> float:
    counted = count_replies(pairs, official=official)
    sums = np.array([sum(one[column] for one in counted) for column in BLEU_COLUMNS], dtype=float)
    formula = {one.name: one for one in formulas("official" if official else "strict")}["bleu"]
    assert not formula.percent
    return float(formula.total(sums))


def test_blanks_are_no_characters_and_officially_an_empty_reply_is_no_pair() -> None:
    intents = {"用户意图": "询问", "用户意图-生成": "询问", "客服意图": "通知", "客服意图-生成": "通知"}
    replies = ["十 三\u3000块", "十三块", ""]
    turns = [{**intents, "客服": "十三 块", "客服-生成": reply} for reply in replies]
    row = {"id": "d", "KB": {}, "goal": {}, "content": turns}
    blank, same, empty = official_program.score([row])[0].turns
    assert (
        [blank[name] for name in BLEU_COLUMNS]
        == [same[name] for name in BLEU_COLUMNS]
        == [3, 3, 3, 3, 2, 2, 1, 1, 0, 0]
    )
    assert not any(name in empty for name in BLEU_COLUMNS)
    blank, same, empty = strict.count(row, [Answer(text=reply) for reply in replies])
    assert [blank[name] for name in BLEU_COLUMNS] == [same[name] for name in BLEU_COLUMNS]
    assert [empty[name] for name in BLEU_COLUMNS[:2]] == [0, 3]


def test_lengths_that_are_very_far_apart_get_the_official_reference_length() -> None:
    for length, reference in ((1000, 1000), (999, 999)):
        assert count_replies([("", "好" * length)], official=True)[0]["bleu reference"] == reference
    assert count_replies([("", "好" * 2000)], official=True)[0]["bleu reference"] == 1000
    assert count_replies([("", "好" * 2000)], official=False)[0]["bleu reference"] == 2000
    assert count_replies([], official=True) == []


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
    for variant, empty in (("strict", 0.0), ("official", math.nan)):
        formula = {one.name: one for one in formulas(variant)}["success"]
        found = formula.total(np.array([[4.0, 1.0], [0.0, 0.0]]))
        assert found[0] == 0.25
        assert found[1] == empty or math.isnan(empty)


def test_only_the_strict_variant_says_that_it_is_repaired() -> None:
    sources = {variant: {metric.source for metric in formulas(variant)} for variant in ("official", "strict")}
    assert any("repaired" in source for source in sources["strict"])
    assert not any("repaired" in source for source in sources["official"])
