from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.metrics.counts import tally
from duologue.metrics.overlap import F1, BagOverlap, Precision, Recall, TokenBags, count_overlap, overlap_metrics

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
    assert Precision("x").total(sums).tolist() == [[0.5, 0.0]]
    assert Recall("x").total(sums).tolist() == [[0.25, 0.0]]
    assert F1("x").total(sums).tolist() == [[2 * 0.5 * 0.25 / 0.75, 0.0]]
