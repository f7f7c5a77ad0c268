from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.spoken.systems.pipeline.asr_correction.char_lm import END, START, CharLanguageModel

TEXTS = ["导演是谁？", "导演是谁呢？", "主演是谁？", "主演都有谁？"]


def test_what_was_seen_is_more_likely_than_what_was_not() -> None:
    model = CharLanguageModel.learn(TEXTS)
    assert model.log("导演是") > model.log("导演都") > model.log("导演龘")


def test_only_as_many_characters_count_as_the_order_says() -> None:
    model = CharLanguageModel.learn(TEXTS, order=2)
    assert model.log("导演是谁") == model.log("是谁")


@pytest.mark.parametrize("context", ["", "是", "演是", START, "没见过"])
def test_probabilities_after_a_context_sum_to_one(context: str) -> None:
    model = CharLanguageModel.learn(TEXTS, order=3)
    signs = sorted({sign for text in TEXTS for sign in text} | {END})
    seen = sum(math.exp(model.log(context + sign) / 1000) for sign in signs)
    # What is left belongs to the 8,000 characters that may still come.
    unseen = math.exp(model.log(context + "龘") / 1000) * (8000 - len(signs))
    assert seen + unseen == pytest.approx(1, abs=0.02)


def test_kneser_ney_counts_what_stands_before_not_how_often() -> None:
    # `b` stands four times but only after `a`; `c` twice, after two characters: alone, `c` is likelier.
    model = CharLanguageModel.learn(["ab", "ab", "ab", "ab", "xc", "yc"], order=2)
    assert model.log("c") > model.log("b")


def test_each_gives_the_figures_of_a_text() -> None:
    model = CharLanguageModel.learn(TEXTS)
    each = model.each(START + "导演" + END)
    assert each == [0, model.log(START + "导"), model.log(START + "导演"), model.log(START + "导演" + END)]


@given(st.lists(st.text("甲乙丙", max_size=5), max_size=5), st.text("甲乙丁", min_size=1, max_size=6))
def test_every_probability_is_one(texts: list[str], gram: str) -> None:
    assert CharLanguageModel.learn(texts).log(gram) <= 5
