"""How many raters and items a difference takes: the power of the very test that `scores` makes, by simulation.

A campaign gives each item to some of the raters in turn, and each of them rates all systems on it. What decides is the
difference of two systems in the sum of the criteria, and how much it varies between items, between raters (tastes) and
otherwise; a pilot tells these spreads.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.core.errors import UsageError
from duologue.metrics.significance import ALPHA, FEWEST
from duologue.metrics.student import student_cuts
from duologue.ratings.sample_size import DRAWS, POWER, detectable, least_items, often_enough
from duologue.ratings.two_way import two_way_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from duologue.metrics.counts import Floats
    from duologue.ratings.table import Integers, RatingTable

MAX_ITEMS = 20_000
MAX_RATINGS = 50_000
"""Ratings of one system, at most."""
_SEARCHED = (2_000, 10_000)
"""Items, and ratings of one system, at most in a search for the number of items, which simulates many plans."""
_CELLS = 500_000
"""Ratings simulated at once."""


class Spread(NamedTuple):
    """Standard deviations of the difference of two systems, in points of the sum of all criteria."""

    item: float
    """Between items."""
    rater: float
    """Between raters: how far their tastes differ."""
    rest: float
    """Of one rater on one item, beside these."""


class Design(NamedTuple):
    """A campaign."""

    raters: int
    items: int
    per_item: int
    """Raters of each item."""
    systems: int = 2

    @property
    def judgements(self) -> int:
        """Ratings of single answers, with all criteria as one."""
        return self.items * self.per_item * self.systems

    @property
    def level(self) -> float:
        """What p must be below for the first of all pairs, by Holm's correction."""
        return ALPHA / math.comb(self.systems, 2)

    def places(self) -> tuple[Integers, Integers]:
        """Return item and rater of each rating: items go to the raters in turn."""
        item = np.repeat(np.arange(self.items), self.per_item)
        return item, np.arange(self.items * self.per_item) % self.raters


def expect_design(design: Design) -> None:
    """Raise `UsageError` for a design that no campaign can have."""
    if design.per_item > design.raters:
        raise UsageError(f"{design.per_item} raters per item are asked for, and there are {design.raters} raters")
    if design.systems < 2:
        raise UsageError("two systems or more are compared")
    if not FEWEST <= design.items <= MAX_ITEMS:
        raise UsageError(f"{design.items:,} items are asked for; a campaign has {FEWEST} to {MAX_ITEMS:,}")
    if design.items * design.per_item > MAX_RATINGS:
        ratings = design.items * design.per_item
        raise UsageError(f"{ratings:,} ratings of each system are asked for; {MAX_RATINGS:,} are simulated at most")


def power(design: Design, spread: Spread, difference: float, *, seed: int, draws: int = DRAWS) -> float:
    """Return the chance that a true difference of two systems is shown, corrected over all pairs."""
    tests = simulated_tests(design, spread, seed=seed, draws=draws)
    return float(np.concatenate([one.shown(difference) for one in tests]).mean())


def least_difference(design: Design, spread: Spread, *, seed: int, draws: int = DRAWS) -> float:
    """Return the least true difference that is shown with the chance `POWER`."""
    tests = list(simulated_tests(design, spread, seed=seed, draws=draws))
    return detectable(
        np.concatenate([one.noise for one in tests]), np.concatenate([one.needed for one in tests]), POWER
    )


def items_for(design: Design, spread: Spread, difference: float, *, seed: int, draws: int = DRAWS) -> int | None:
    """Return how many items show the difference with the chance `POWER`; `None`: as many as `max_items` do not.

    The number of items of `design` is not looked at. Where raters' tastes differ, more items alone do not always help.
    """

    def enough(items: int) -> bool:
        tests = simulated_tests(design._replace(items=items), spread, seed=seed, draws=draws)
        return often_enough((one.shown(difference) for one in tests), POWER)

    return least_items(enough, max_items(design))


def max_items(design: Design) -> int:
    """Return up to how many items `items_for` looks."""
    items, ratings = _SEARCHED
    return max(FEWEST, min(items, ratings // design.per_item))


class SimulatedTests(NamedTuple):
    """What the test says in campaigns without a true difference, (campaigns,) each."""

    noise: Floats
    """The differences that are found."""
    needed: Floats
    """How far from 0 a difference must be to be shown."""

    def shown(self, difference: float) -> npt.NDArray[np.bool_]:
        """Return of each campaign whether it would show a true difference."""
        found: npt.NDArray[np.bool_] = np.abs(self.noise + difference) > self.needed
        return found


def simulated_tests(design: Design, spread: Spread, *, seed: int, draws: int = DRAWS) -> Iterator[SimulatedTests]:
    """Yield `draws` campaigns in batches. Raises `UsageError` for a design that no campaign can have."""
    expect_design(design)
    item, rater = design.places()
    rng = np.random.default_rng(np.random.SeedSequence([seed, design.raters, design.items, design.per_item]))
    step = max(1, _CELLS // len(item))
    for start in range(0, draws, step):
        n = min(step, draws - start)
        found = spread.item * rng.standard_normal((design.items, n))[item]
        found += spread.rater * rng.standard_normal((design.raters, n))[rater]
        found += spread.rest * rng.standard_normal((len(item), n))
        mean = found.mean(axis=0)
        errors = two_way_errors(item, rater, (found - mean) / len(item))
        yield SimulatedTests(mean, errors.error * student_cuts(errors.freedom, design.level))


def pilot_spread(table: RatingTable) -> Spread:
    """Return the spreads that a pilot shows, as the mean over all pairs of systems; they are estimated without bias.

    Half the mean squared difference of two ratings of different items and raters is the whole variance, of ratings that
    share the item that of raters and the rest, and so on. Raises `UsageError` for a pilot without two systems that the
    same rater rated on the same item.
    """
    totals = _totals(table)
    found = []
    for a, b in combinations(range(len(table.systems)), 2):
        shared = sorted(totals[a].keys() & totals[b].keys())
        values = np.array([totals[a][key] - totals[b][key] for key in shared])
        item, rater = (np.array([key[side] for key in shared], dtype=np.int64) for side in (0, 1))
        parts = _components(item, rater, values)
        if parts is not None:
            found.append(parts)
    if not found:
        raise UsageError(
            "the pilot does not tell the spreads: it takes two systems that two raters or more have both rated, on the "
            "same items, two or more"
        )
    means = np.maximum(np.mean(found, axis=0), 0.0)
    return Spread(*(math.sqrt(one) for one in means))


def _totals(table: RatingTable) -> list[dict[tuple[int, int], float]]:
    """Return per system the sum of all criteria by item and rater, where all were rated."""
    sums: list[dict[tuple[int, int], list[float]]] = [{} for _ in table.systems]
    for item, system, rater, value in zip(table.item, table.system, table.rater, table.value, strict=True):
        sums[system].setdefault((int(item), int(rater)), []).append(float(value))
    return [
        {key: math.fsum(values) for key, values in one.items() if len(values) == len(table.criteria)} for one in sums
    ]


def _components(item: Integers, rater: Integers, values: Floats) -> tuple[float, float, float] | None:
    """Return the variances between items, between raters and of the rest; `None` where the ratings do not tell them."""
    if len(values) < 2:
        return None
    same_item, of_item = _pairs(item, values)
    same_rater, of_rater = _pairs(rater, values)
    every, of_all = _pairs(np.zeros_like(item), values)
    apart = every - same_item - same_rater
    if not same_item or not same_rater or not apart:
        return None
    whole = (of_all - of_item - of_rater) / apart
    without_item, without_rater = of_item / same_item, of_rater / same_rater
    return whole - without_item, whole - without_rater, without_item + without_rater - whole


def _pairs(labels: Integers, values: Floats) -> tuple[float, float]:
    """Return how many pairs of ratings share a label, and half the sum of their squared differences."""
    _, places, times = np.unique(labels, return_inverse=True, return_counts=True)
    centred = values - values.mean()
    sums, squares = np.bincount(places, centred), np.bincount(places, np.square(centred))
    return float((times * (times - 1) / 2).sum()), float((times * squares - np.square(sums)).sum() / 2)
