"""Plans for pairwise judgements find what the test of the results finds."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from duologue.core.errors import UsageError
from duologue.ratings.judgement import OVERALL, Preference
from duologue.ratings.pair_plan import (
    PairDesign,
    PairSpread,
    items_for_share,
    least_share,
    pair_power,
    simulated_votes,
)
from duologue.ratings.preferences import rank_by_preference

OUTCOMES: dict[int, Literal["a", "b", "tie"]] = {1: "a", -1: "b", 0: "tie"}
SPREAD = PairSpread(0.5, 0.3, 0.15)
DESIGN = PairDesign(raters=10, items=60, per_item=2)


def test_power_grows_with_the_share_and_is_the_level_without_a_difference() -> None:
    found = [pair_power(DESIGN, SPREAD, one, seed=1, draws=600) for one in (0.5, 0.6, 0.7, 0.9)]
    assert found == sorted(found)
    assert 0.01 < found[0] < 0.075
    assert found[-1] > 0.95
    assert pair_power(DESIGN, SPREAD, 0.6, seed=1, draws=600) == found[1]
    many = pair_power(DESIGN._replace(systems=4), SPREAD, 0.6, seed=1, draws=600)
    assert many != found[1]


@pytest.mark.parametrize("share", [0.5, 0.65])
def test_votes_have_the_win_share_and_the_ties_that_were_asked_for(share: float) -> None:
    said = np.concatenate([one.said for one in simulated_votes(DESIGN, SPREAD, share, seed=3, draws=400)], axis=1)
    assert (1 + said.mean()) / 2 == pytest.approx(share, abs=0.01)
    assert (said == 0).mean() == pytest.approx(0.15, abs=0.02)


@pytest.mark.parametrize("systems", [2, 3])
def test_what_is_shown_is_what_the_results_show(systems: int) -> None:
    design, draws = DESIGN._replace(systems=systems, items=30), 40
    shown = []
    for votes in simulated_votes(design, SPREAD, 0.68, seed=5, draws=draws):
        for said in votes.said.T:
            preferences = [
                Preference(f"i{item}", f"s{a}", f"s{b}", f"r{rater}", OVERALL, OUTCOMES[int(one)])
                for item, a, b, rater, one in zip(votes.item, votes.first, votes.second, votes.rater, said, strict=True)
            ]
            test = next(one for one in rank_by_preference(preferences).tests if {one.a, one.b} == {"s0", "s1"})
            shown.append(test.p < design.level)
    planned = pair_power(design, SPREAD, 0.68, seed=5, draws=draws)
    assert np.mean(shown) == pytest.approx(planned, abs=0.03)


def test_the_least_share_and_the_number_of_items_are_the_inverse() -> None:
    least = least_share(DESIGN, SPREAD, seed=1, draws=400)
    assert least is not None
    assert pair_power(DESIGN, SPREAD, least, seed=1, draws=400) == pytest.approx(0.8, abs=0.02)
    items = items_for_share(DESIGN, SPREAD, least, seed=1, draws=400)
    assert items is not None
    assert abs(items - 60) <= 12
    assert items_for_share(PairDesign(4, 60, 1), PairSpread(0.1, 3.0, 0.1), 0.51, seed=1, draws=50) is None
    assert least_share(PairDesign(3, 5, 1, systems=8), PairSpread(2.0, 2.0, 0.94), seed=1, draws=50) is None


@pytest.mark.parametrize(
    ("design", "told"),
    [
        (PairDesign(2, 20, 3), "3 raters of each pair are asked for, and there are 2"),
        (PairDesign(3, 20, 3, systems=1), "two systems or more"),
        (PairDesign(3, 4, 3), "4 items are asked for"),
        (PairDesign(30, 5_000, 9), "45,000 votes bear on a pair"),
    ],
)
def test_designs_that_no_campaign_can_have(design: PairDesign, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        pair_power(design, SPREAD, 0.6, seed=1)
    with pytest.raises(UsageError, match="no share of ties"):
        pair_power(DESIGN, PairSpread(0.5, 0.3, 1.0), 0.6, seed=1)
