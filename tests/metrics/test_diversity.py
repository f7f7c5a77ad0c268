from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.core.errors import UsageError
from duologue.metrics.counts import Counts
from duologue.metrics.diversity import Distinct, count_distinct, diversity_of
from duologue.metrics.significance import compare_two

replies = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), max_size=8)


@given(replies)
def test_what_is_new_in_each_reply_adds_up_to_what_is_different(said: list[list[str]]) -> None:
    found = count_distinct(said)
    grams = [gram for reply in said for gram in reply]
    assert found.fresh.sum() == len(set(grams))
    assert found.said.tolist() == [len(reply) for reply in said]
    if grams:
        assert found.value() == len(set(grams)) / len(grams)
        metric = Distinct(1)
        counts = Counts(tuple(map(str, range(len(said)))), metric.columns, np.stack([found.said, found.fresh], axis=1))
        assert metric.value(counts) == found.value()
    else:
        assert math.isnan(found.value())


@given(replies, st.randoms(use_true_random=False))
def test_what_a_group_has_alone_is_what_is_lost_without_it(said: list[list[str]], chance: random.Random) -> None:
    groups = [chance.choice("xyz") for _ in said]
    found = count_distinct(said, groups)
    for number, name in enumerate(dict.fromkeys(groups)):
        others = {gram for reply, group in zip(said, groups, strict=True) if group != name for gram in reply}
        mine = {gram for reply, group in zip(said, groups, strict=True) if group == name for gram in reply}
        assert found.group_alone[number] == len(mine - others)


@given(replies)
def test_the_order_of_replies_changes_neither_value_nor_interval(said: list[list[str]]) -> None:
    here, there = count_distinct(said).spread(), count_distinct(said[::-1]).spread()
    assert list(here) == pytest.approx(list(there), nan_ok=True)


def test_the_interval_holds_the_value_that_new_samples_of_the_same_size_give() -> None:
    chance = random.Random(5)

    def corpus() -> list[list[int]]:
        return [[int(chance.paretovariate(0.6)) for _ in range(10)] for _ in range(200)]

    values = [count_distinct(corpus()).value() for _ in range(200)]
    inside = 0
    for _ in range(100):
        _, low, high = count_distinct(corpus()).spread()
        inside += low is not None and high is not None and low <= float(np.mean(values)) <= high
    assert inside >= 90


@given(replies)
def test_numbers_of_any_size_stand_for_n_grams(said: list[list[str]]) -> None:
    sizes = np.array([len(reply) for reply in said], dtype=np.int64)
    small = np.array([ord(gram) for reply in said for gram in reply], dtype=np.int64)
    for codes in (small, small << 54):
        found = diversity_of(codes, sizes)
        assert found.fresh.tolist() == count_distinct(said).fresh.tolist()
        assert found.group_alone.tolist() == count_distinct(said).group_alone.tolist()


def test_the_interval_is_the_jackknife_by_hand() -> None:
    found = count_distinct([["a", "b"], ["a", "c"], ["a", "a"], ["d", "e"], ["b", "f", "f"]])
    without_each = [6 / 9, 5 / 9, 6 / 9, 4 / 9, 5 / 8]  # different / all once a reply is left out
    mean = sum(without_each) / 5
    error = math.sqrt(4 / 5 * sum((one - mean) ** 2 for one in without_each))
    assert found.spread() == pytest.approx((6 / 11, 6 / 11 - 1.959964 * error, 6 / 11 + 1.959964 * error))


def test_fewer_than_five_replies_have_no_interval() -> None:
    assert count_distinct([["a", "b"]] * 4).spread().low is None
    assert count_distinct([["a", "b"]] * 5).spread().low is not None
    assert count_distinct([["a", "a"]]).spread() == (0.5, None, None)


def test_a_swap_of_distinct_is_refused() -> None:
    metric = Distinct(2)
    assert metric.count(["ab", "ab", "bc"]) == (3, 2)
    counts = Counts(("x",), metric.columns, np.array([[3.0, 2.0]]))
    with pytest.raises(UsageError, match="not a formula over sums"):
        compare_two(counts, counts, [metric])


def test_joined_words_are_counted_in_a_column_of_their_own_where_there_are_several() -> None:
    assert Distinct(2, "joined").columns[1] == "2-grams joined new"
    assert Distinct(1, "joined").columns[1] == "1-grams new"
