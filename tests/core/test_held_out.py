from __future__ import annotations

import random

from duologue.core.held_out import draw_order, draw_rank, split_by_group

NAMES = [f"dialogue-{number}" for number in range(200)]


def test_the_order_is_that_of_seed_and_name_alone() -> None:
    order = draw_order(NAMES, 1)
    shuffled = random.Random(7).sample(NAMES, len(NAMES))
    assert draw_order([*shuffled, *shuffled], 1) == order != draw_order(NAMES, 2)
    assert draw_order(NAMES, 1, joint=" ") != order
    assert draw_order(NAMES[:50], 1) == [name for name in order if name in NAMES[:50]]
    assert draw_order(["b", "a", "c"], 1) == ["b", "c", "a"]  # on every machine and version


def test_ranks_rise_in_that_order_and_fill_the_unit_interval_evenly() -> None:
    ranks = [draw_rank(name, 1) for name in draw_order(NAMES, 1)]
    assert ranks == sorted(ranks)
    assert 0 <= ranks[0] < 0.03
    assert 0.97 < ranks[-1] < 1
    assert sum(rank < 0.25 for rank in ranks) in range(35, 66)
    assert [draw_rank(name, 1) for name in "abc"] == [0.5298565529377168, 0.1727814107933262, 0.4275479636550518]


def test_a_group_is_on_one_side_whole_and_nothing_is_lost() -> None:
    items = [(name, place) for place in range(3) for name in "abc"]
    kept, apart = split_by_group(items, lambda one: one[0], {"b", "z"})
    assert apart == [("b", 0), ("b", 1), ("b", 2)]
    assert kept == [one for one in items if one[0] != "b"]
    assert draw_rank("\ud800", 1) >= 0  # a lone surrogate is a name, too
