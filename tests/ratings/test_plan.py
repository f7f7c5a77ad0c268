from __future__ import annotations

import numpy as np
import pytest

from duologue.core.errors import UsageError
from duologue.ratings.judgement import Rating
from duologue.ratings.plan import Design, Spread, items_for, least_difference, pilot_spread, power
from duologue.ratings.table import RatingTable

SPREAD = Spread(0.6, 0.3, 1.0)
DESIGN = Design(raters=10, items=60, per_item=3)


def test_power_grows_with_the_difference_and_is_the_level_without_one() -> None:
    found = [power(DESIGN, SPREAD, one, seed=1, draws=1_000) for one in (0.0, 0.2, 0.4, 0.8)]
    assert found == sorted(found)
    assert 0.01 < found[0] < 0.065
    assert found[-1] > 0.95
    assert power(DESIGN, SPREAD, 0.4, seed=1, draws=1_000) == found[2]


def test_power_of_many_raters_is_that_of_a_paired_t_test() -> None:
    design = Design(raters=200, items=200, per_item=1)  # each item and each rater once: 200 independent differences
    error = 1.0 / np.sqrt(200)
    assert power(design, Spread(0.6, 0.0, 0.8), 2.8 * error, seed=1) == pytest.approx(0.80, abs=0.03)


def test_detectable_difference_and_number_of_items_are_the_inverse() -> None:
    least = least_difference(DESIGN, SPREAD, seed=1, draws=1_000)
    assert power(DESIGN, SPREAD, least, seed=1, draws=1_000) == pytest.approx(0.8, abs=0.01)
    items = items_for(DESIGN, SPREAD, least, seed=1, draws=1_000)
    assert items is not None
    assert abs(items - 60) <= 10
    assert items_for(DESIGN, Spread(0.1, 1.0, 0.1), 0.2, seed=1, draws=100) is None  # ten tastes never tell


def test_many_systems_need_more() -> None:
    many = DESIGN._replace(systems=5)
    assert many.level == pytest.approx(0.005)
    assert many.judgements == 900
    assert power(many, SPREAD, 0.5, seed=1, draws=500) < power(DESIGN, SPREAD, 0.5, seed=1, draws=500)


@pytest.mark.parametrize(
    ("design", "told"),
    [
        (Design(2, 20, 3), "3 raters per item are asked for, and there are 2"),
        (Design(3, 20, 3, systems=1), "two systems or more"),
        (Design(3, 4, 3), "4 items are asked for"),
        (Design(3, 30_000, 3), "30,000 items"),
        (Design(9_000, 9_000, 9_000), "81,000,000 ratings of each system"),
    ],
)
def test_designs_that_no_campaign_can_have(design: Design, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        power(design, SPREAD, 0.3, seed=1)


def pilot(items: int, raters: int, seed: int, spread: Spread) -> RatingTable:
    rng = np.random.default_rng(seed)
    apart = 0.5 + rng.normal(0, spread.item, (items, 1)) + rng.normal(0, spread.rater, (1, raters))
    apart = apart + rng.normal(0, spread.rest, (items, raters))
    kept = rng.random((items, raters)) < 0.6
    rows = [
        Rating(f"i{i:03}", system, f"r{r:03}", "wit", float(value))
        for i in range(items)
        for r in range(raters)
        if kept[i, r]
        for system, value in (("a", apart[i, r]), ("b", 0.0))
    ]
    return RatingTable.of(rows, ["wit"])


def test_a_pilot_tells_its_spreads_also_with_missing_ratings() -> None:
    found = pilot_spread(pilot(150, 60, 1, SPREAD))
    assert found == pytest.approx(SPREAD, abs=0.08)


def test_a_pilot_must_have_two_systems_that_raters_share() -> None:
    with pytest.raises(UsageError, match="the pilot does not tell the spreads"):
        pilot_spread(RatingTable.of([Rating("1", "a", "r", "wit", 1.0), Rating("2", "b", "r", "wit", 1.0)], ["wit"]))
