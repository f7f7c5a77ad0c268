"""Precision at k and mean reciprocal rank, and their edges."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.metrics.rank import (
    PrecisionAt,
    ReciprocalRank,
    count_ranks,
    rank_of,
    ranking_metric,
    ranking_metrics,
)

if TYPE_CHECKING:
    import random

RANKS = st.lists(st.none() | st.integers(1, 12), min_size=1, max_size=40)


def values(ranks: list[int | None]) -> dict[str, float]:
    counts = count_ranks([str(number) for number in range(len(ranks))], ranks)
    return {metric.name: metric.value(counts) for metric in ranking_metrics()}


def test_a_small_case_by_hand() -> None:
    assert values([1, 2, 4, None]) == {"p@1": 0.25, "p@2": 0.5, "p@5": 0.75, "mrr": (1 + 0.5 + 0.25) / 4}


def test_columns_are_items_hits_and_reciprocal_rank() -> None:
    assert count_ranks([], []).columns == ("items", "hit@1", "hit@2", "hit@5", "reciprocal rank")


def test_no_items_have_no_score() -> None:
    assert all(math.isnan(value) for value in values([]).values())


@pytest.mark.parametrize("rank", [None, 0, -3])
def test_an_item_without_a_rank_is_wrong_and_stays_in_the_denominator(rank: int | None) -> None:
    assert values([1, rank]) == {"p@1": 0.5, "p@2": 0.5, "p@5": 0.5, "mrr": 0.5}


def test_the_rank_is_the_first_place_of_the_true_answer() -> None:
    assert rank_of("b", ["a", "b", "b"]) == 2


@pytest.mark.parametrize(("answer", "ranking"), [("a", None), ("a", []), ("a", ["b"]), (None, ["a"])])
def test_what_is_not_ranked_has_no_rank(answer: str | None, ranking: list[str] | None) -> None:
    assert rank_of(answer, ranking) is None


@given(RANKS)
def test_scores_are_fractions_and_grow_with_k(ranks: list[int | None]) -> None:
    found = values(ranks)
    assert 0 <= found["p@1"] <= found["p@2"] <= found["p@5"] <= 1
    assert found["p@1"] <= found["mrr"] <= 1


@given(RANKS, st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_matter(ranks: list[int | None], rng: random.Random) -> None:
    mixed = list(ranks)
    rng.shuffle(mixed)
    assert values(mixed) == pytest.approx(values(ranks))


@given(RANKS, st.data())
def test_a_better_place_never_lowers_a_score(ranks: list[int | None], data: st.DataObject) -> None:
    better = list(ranks)
    at = data.draw(st.integers(0, len(ranks) - 1))
    better[at] = 1
    before, after = values(ranks), values(better)
    assert all(after[name] >= before[name] - 1e-12 for name in before)


def test_metrics_are_found_by_the_name_of_their_score() -> None:
    third = ranking_metric("p@3")
    assert isinstance(third, PrecisionAt)
    assert third.k == 3
    assert isinstance(ranking_metric("mrr"), ReciprocalRank)
    assert ranking_metric("bleu") is None
    assert ranking_metric("p@0") is None


def test_precision_at_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="k is 0"):
        PrecisionAt(0)
