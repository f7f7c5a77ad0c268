from __future__ import annotations

import math

import numpy as np

from duologue.metrics.counts import tally
from duologue.metrics.formulas import Average, Ratio, Weighted
from duologue.metrics.overlap import Overlap


def test_a_ratio_divides_sums_and_says_what_nothing_is_worth() -> None:
    metric = Ratio("points", "points", "dialogues", per=2)
    assert metric.formula == "points = points / dialogues"
    assert metric.columns == ("dialogues", "points")
    found = metric.total(np.array([[4.0, 6.0], [0.0, 0.0]]))
    assert found[0] == 0.75
    assert math.isnan(found[1])
    assert Ratio("x", "a", "b", empty=0.0).total(np.zeros((2, 2))).tolist() == [0, 0]


def test_a_ratio_carries_its_marks() -> None:
    metric = Ratio("x", "a", "b", "x = ...", additive=False, percent=False, higher_is_better=False, source="here")
    assert (metric.formula, metric.source) == ("x = ...", "here")
    assert not metric.additive
    assert not metric.percent
    assert not metric.higher_is_better


def test_a_ratio_is_a_mean_in_percent_of_which_more_is_better_unless_it_says_otherwise() -> None:
    metric = Ratio("x", "a", "b")
    assert (metric.additive, metric.percent, metric.higher_is_better) == (True, True, True)
    assert (metric.source, metric.note, metric.lowest, metric.highest) == ("", "", None, None)


def test_a_mean_takes_values_or_looks_them_up() -> None:
    metric = Average("x", "x = mean", items="kept")
    assert metric.columns == ("kept", "x")
    assert metric.count(0.5) == (1, 0.5)
    assert metric.count({"kept": 1, "x": 0.25, "y": 3}) == (1, 0.25)
    assert metric.value(tally([metric], ["a", "b"], [0.5, 1])) == 0.75


def test_a_weighted_sum_reads_the_columns_of_its_parts() -> None:
    parts = (
        Overlap("a", "f1", name="a-f1"),
        Overlap("b", "recall", name="b-recall"),
    )
    both = Weighted("mean", [(0.5, part) for part in parts], "mean = (a-f1 + b-recall) / 2", percent=False)
    assert both.columns == ("a hit", "a said", "a wanted", "b hit", "b said", "b wanted")
    assert float(both.total(np.array([1, 1, 1, 1, 9, 2], dtype=float))) == 0.75
    assert both.total(np.array([[1, 1, 1, 1, 9, 2], [0, 1, 1, 1, 1, 1]], dtype=float)).tolist() == [0.75, 0.5]
    assert Weighted("none", [], "none = 0").total(np.zeros((2, 6))).tolist() == [0, 0]
    assert both.count({"a hit": 1, "b wanted": 2}) == (1, 0, 0, 0, 0, 2)
    assert not both.percent
    words = Ratio("words", "words", "dialogues", percent=False, lowest=0)
    of_both = [
        Weighted("sum", [(1.0, both), (by, one)], "sum = weighted", percent=False)
        for by, one in ((-2.0, parts[0]), (2.0, words))
    ]
    assert [one.bounds for one in (both, *of_both)] == [(0, 1), (-2, 1), (0, math.inf)]


def test_a_ratio_is_a_share_where_it_is_a_fraction_of_nothing_but_its_whole() -> None:
    assert Ratio("x", "part", "whole").share_of == ("part", "whole")
    assert Average("x", "x = mean").share_of == ("x", "items")
    assert Ratio("x", "part", "whole").bounds == (0, 1)
    assert Ratio("x", "part", "whole", percent=False).bounds == (-math.inf, math.inf)


def test_a_part_of_no_weight_leaves_the_scale_as_it_is() -> None:
    free = Ratio("words", "words", "dialogues", percent=False)
    both = Weighted("mean", [(0.0, free), (2.0, Overlap("a", "f1"))], "mean = 2 a-f1", percent=False)
    assert both.bounds == (0, 2)
