from __future__ import annotations

import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.spoken.choices import Choices
from duologue.challenges.spoken.measures import (
    SELECTION,
    distinct,
    generation,
    harmonic,
    selection,
    sentence_bleu,
    smoothed,
    tokens_of,
)


def test_tokens_are_all_code_points_but_white_space() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    assert tokens_of(everything) == "".join(sign for sign in everything if not sign.isspace())
    assert tokens_of("a\u200e　B，") == "a\u200eB，"
    assert tokens_of("中\u4dff\ua000㐀a。", "han") == "中"


@given(st.text("ab 甲", max_size=12), st.text("ab 甲", max_size=12))
def test_counts_are_of_the_tokens_alone(reference: str, reply: str) -> None:
    numbers = generation(reference, reply, Choices())
    assert numbers["tokens said"] == len(reply.replace(" ", ""))
    assert numbers["1-grams hit"] <= min(numbers["tokens said"], numbers["tokens wanted"])
    assert numbers == generation(reference.replace(" ", ""), reply.replace(" ", ""), Choices())


def test_an_empty_reply_scores_zero_everywhere() -> None:
    numbers = generation("甲乙", "", Choices(smoothing="add1"))
    assert {name: value for name, value in numbers.items() if value} == {"tokens wanted": 2.0}


@pytest.mark.parametrize(
    ("smoothing", "hits", "said", "unigrams", "precision"),
    [
        ("none", 1, 4, 1.0, 0.25),
        ("none", 0, 0, 1.0, 0.0),
        ("add1", 1, 4, 1.0, 0.4),
        ("add1", 0, 0, 1.0, 1.0),
        ("add1", 0, 3, 0.0, 0.0),
        ("epsilon", 0, 4, 0.5, 0.025),
        ("epsilon", 0, 4, 0.0, 0.0),
        ("epsilon", 0, 0, 1.0, 0.0),
    ],
)
def test_bigram_precision_is_smoothed_as_the_option_says(
    smoothing: str, hits: int, said: int, unigrams: float, precision: float
) -> None:
    assert smoothed(2, hits, said, [unigrams], smoothing) == pytest.approx(precision)


@pytest.mark.parametrize("smoothing", ["none", "add1", "epsilon"])
def test_unigram_precision_is_never_smoothed(smoothing: str) -> None:
    assert smoothed(1, 0, 4, [], smoothing) == 0
    assert smoothed(1, 2, 4, [], smoothing) == 0.5


def test_the_brevity_penalty_begins_below_the_length_of_the_reference() -> None:
    assert sentence_bleu([1.0], 4, 4) == 1
    assert sentence_bleu([1.0], 5, 4) == 1
    assert sentence_bleu([1.0, 0.25], 2, 4) == pytest.approx(math.exp(-1) * 0.5)
    assert sentence_bleu([], 0, 4) == 0


def test_distinct_counts_what_occurs_once_or_the_different_ones() -> None:
    grams = [("a",), ("a",), ("b",)]
    assert distinct(grams, "once") == pytest.approx(1 / 3)
    assert distinct(grams, "types") == pytest.approx(2 / 3)
    assert distinct([], "once") == 0


def test_nothing_in_common_is_zero() -> None:
    assert harmonic(0, 3, 0) == 0
    assert harmonic(1, 1, 2) == pytest.approx(2 / 3)


ONE = {"name": "园", "attrname": "门票", "attrvalue": "十元"}


@pytest.mark.parametrize(
    ("empty", "kept", "score"), [("one", 1.0, 1.0), ("zero", 1.0, 0.0), ("skip", 0.0, 0.0), ("gold_only", 0.0, 0.0)]
)
def test_samples_without_triples_count_as_the_option_says(empty: str, kept: float, score: float) -> None:
    numbers = selection([], [], Choices(empty=empty))
    assert (numbers["kept"], numbers["f1"]) == (kept, score)
    missing = selection([], None, Choices(empty=empty))
    assert (missing["kept"], missing["f1"]) == (kept, 0.0)


def test_only_gold_only_leaves_out_what_was_said_without_need() -> None:
    for empty in ("one", "zero", "skip"):
        assert selection([], [ONE], Choices(empty=empty))["kept"] == 1
    assert selection([], [ONE], Choices(empty="gold_only")) == dict.fromkeys(SELECTION, 0.0)


def test_repeated_triples_are_dropped_on_both_sides_or_counted() -> None:
    assert selection([ONE, ONE], [ONE], Choices())["f1"] == 1
    assert selection([ONE, ONE], [ONE], Choices(duplicates="count"))["recall"] == 0.5
    assert selection([ONE], [ONE, ONE, ONE], Choices(duplicates="count"))["recall"] == 3
