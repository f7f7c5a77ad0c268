from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.metrics.counts import tally
from duologue.metrics.overlap import MEASURES, BagOverlap, Measure, Overlap, TokenBags, count_overlap, overlap_metrics

bags = st.text(alphabet="abc好", max_size=12)


def values(said: str, wanted: str) -> dict[str, float]:
    metrics = overlap_metrics("chars")
    counts = tally(metrics, ["x"], [TokenBags(said, wanted)])
    return {metric.name: metric.value(counts) for metric in metrics}


def test_repeats_are_hits_as_often_as_they_are_wanted() -> None:
    assert count_overlap("aaab", "abb") == BagOverlap(hits=2, said=4, wanted=3)


def test_scores_are_shares_of_the_pooled_counts() -> None:
    metrics = overlap_metrics("chars")
    counts = tally(metrics, ["x", "y"], [TokenBags("ab", "ac"), TokenBags("abcd", "a")])
    assert counts.sums().tolist() == [2, 6, 3]
    assert [metric.value(counts) for metric in metrics] == pytest.approx([2 / 6, 2 / 3, 4 / 9], abs=1e-15)


def test_silence_is_a_zero_where_something_was_wanted_and_nothing_at_all_is_no_score() -> None:
    assert values("", "ab") == {"precision": 0, "recall": 0, "f1": 0}
    assert values("ab", "") == {"precision": 0, "recall": 0, "f1": 0}
    assert all(math.isnan(value) for value in values("", "").values())


@given(bags.filter(bool), bags)
def test_the_reference_itself_is_the_best_answer(wanted: str, other: str) -> None:
    best = values(wanted, wanted)
    assert best == {"precision": 1, "recall": 1, "f1": 1}
    assert all(value <= best[name] for name, value in values(other, wanted).items())


@given(bags, bags)
def test_scores_lie_within_zero_and_one_and_f1_treats_both_sides_alike(said: str, wanted: str) -> None:
    here, there = values(said, wanted), values(wanted, said)
    assert all(math.isnan(value) or 0 <= value <= 1 for value in here.values())
    assert here["f1"] == there["f1"] or math.isnan(here["f1"])
    assert here["precision"] == there["recall"] or math.isnan(here["precision"])


@given(bags, bags.filter(bool))
def test_a_wrong_token_never_raises_precision_and_never_changes_recall(said: str, wanted: str) -> None:
    before, after = values(said, wanted), values(said + "!", wanted)
    assert after["precision"] <= before["precision"]
    assert after["recall"] == before["recall"]


def test_many_sums_are_totalled_at_once() -> None:
    sums = np.array([[[1.0, 2.0, 4.0], [0.0, 0.0, 3.0]]])
    found = [metric.total(sums).tolist() for metric in overlap_metrics("x")]
    assert found == [[[0.5, 0.0]], [[0.25, 0.0]], [[2 * 0.5 * 0.25 / 0.75, 0.0]]]


def value(measure: Measure, hits: float, said: float, wanted: float, **options: Any) -> float:
    return float(Overlap("x", measure, **options).total(np.array([hits, said, wanted], dtype=float)))


def test_the_measures_of_a_hand_counted_case() -> None:
    assert [value(measure, 3, 4, 6) for measure in MEASURES] == pytest.approx([0.75, 0.5, 0.6])


def test_nothing_over_nothing_is_what_was_agreed() -> None:
    assert [value(measure, 0, 0, 0, nothing=0.0) for measure in MEASURES] == [0, 0, 0]
    assert [value(measure, 0, 0, 0, nothing=1.0) for measure in MEASURES] == [1, 1, 1]
    assert math.isnan(value("precision", 0, 0, 4, empty=math.nan))
    assert math.isnan(value("f1", 0, 4, 4, empty=math.nan))  # P + R is zero, as in scripts that divide by it


def test_an_epsilon_keeps_a_perfect_score_below_one() -> None:
    perfect = value("f1", 9, 9, 9, epsilon=1e-10)
    share = 9 / (9 + 1e-10)
    assert perfect == 2 * share * share / (share + share + 1e-10)
    assert perfect < 1
    assert "(+1e-10)" in Overlap("x", "f1", epsilon=1e-10).formula


def test_names_and_words_are_those_that_are_given() -> None:
    metric = Overlap("intent", "recall", name="intent-recall", hits="right", remark="in words")
    assert metric.columns == ("intent right", "intent said", "intent wanted")
    assert metric.formula == "intent-recall = intent right / wanted, pooled (in words)"
    assert Overlap("x", "precision").formula == "precision = x hit / said, pooled"


def test_counts_made_before_are_looked_up() -> None:
    metric = Overlap("x", "f1")
    assert tally([metric], ["i"], [{"x hit": 1, "x said": 2}]).array.tolist() == [[1, 2, 0]]
    with pytest.raises(TypeError, match="f1 looks its counts up in a mapping; list is given"):
        tally([metric], ["i"], [[1, 2]])


counts = st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50)).map(
    lambda three: (min(three), max(three), sorted(three)[1])
)


@given(counts)
def test_f1_lies_between_the_other_two(three: tuple[int, int, int]) -> None:
    precision, recall, f1 = (value(measure, *three, nothing=0.0) for measure in MEASURES)
    assert min(precision, recall) <= f1 + 1e-12
    assert f1 <= max(precision, recall) + 1e-12 <= 1 + 1e-12


@given(bags, bags)
def test_hits_are_the_intersection_of_bags(said: str, wanted: str) -> None:
    assert count_overlap(said, wanted).hits == sum(min(said.count(one), wanted.count(one)) for one in {*said})
