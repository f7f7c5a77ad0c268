"""How many raters and items a win share takes in pairwise judgements: the power of the test that `preferences` makes.

Who compares two systems feels a difference, that of their strengths moved by the item and the rater's taste, and tells
the better one, or a tie where it is small: on the scale of logits, as in Bradley and Terry's model. Of each item, all
pairs of systems go to raters in turn. In such a balanced plan Davidson's win shares are the means of what was said
(wins, and half of the ties), so that a test is one of sums.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.core.errors import UsageError
from duologue.metrics.significance import ALPHA, FEWEST
from duologue.metrics.student import student_cuts
from duologue.ratings.sample_size import DRAWS, POWER, inverse, least_items, often_enough
from duologue.ratings.two_way import two_way_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from duologue.metrics.counts import Floats
    from duologue.ratings.table import Integers

MAX_ITEMS = 5_000
MAX_VOTES = 10_000
"""Votes that bear on one pair, at most."""
_CELLS = 100_000
"""Votes simulated at once."""
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
"""For means over a normal deviate."""


class PairDesign(NamedTuple):
    """A campaign of pairs."""

    raters: int
    items: int
    per_item: int
    """Raters of each pair on each item."""
    systems: int = 2

    @property
    def votes(self) -> int:
        """Votes in all."""
        return self.items * self.per_item * math.comb(self.systems, 2)

    @property
    def level(self) -> float:
        """What p must be below for the first of all pairs, by Holm's correction."""
        return ALPHA / math.comb(self.systems, 2)


class PairSpread(NamedTuple):
    """How far votes on one pair differ, beside chance: standard deviations in logits, and the share of ties."""

    item: float
    rater: float
    ties: float


class PairedVotes(NamedTuple):
    """Votes of campaigns in which systems 0 and 1 differ and all others lie between them."""

    first: Integers
    second: Integers
    """The systems of each vote, (votes,)."""
    item: Integers
    rater: Integers
    said: Floats
    """1: the first is better, -1: the second, 0: a tie, (votes, campaigns)."""


def expect_pairs(design: PairDesign, spread: PairSpread) -> None:
    """Raise `UsageError` for a design that no campaign can have."""
    if design.per_item > design.raters:
        raise UsageError(f"{design.per_item} raters of each pair are asked for, and there are {design.raters} raters")
    if design.systems < 2:
        raise UsageError("two systems or more are compared")
    if not FEWEST <= design.items <= MAX_ITEMS:
        raise UsageError(f"{design.items:,} items are asked for; a campaign has {FEWEST} to {MAX_ITEMS:,}")
    if _bearing(design) > MAX_VOTES:
        raise UsageError(f"{_bearing(design):,} votes bear on a pair; {MAX_VOTES:,} are simulated at most")
    if not 0 <= spread.ties < 1:
        raise UsageError(f"{spread.ties:g} is no share of ties; it is from 0 to below 1")


def pair_power(design: PairDesign, spread: PairSpread, share: float, *, seed: int, draws: int = DRAWS) -> float:
    """Return the chance that a true win share of one system against another is shown, corrected over all pairs.

    `share` counts ties half, such as 0.6. Raises `UsageError` for a design that no campaign can have.
    """
    return float(np.concatenate(list(_shown(design, spread, share, seed=seed, draws=draws))).mean())


def least_share(design: PairDesign, spread: PairSpread, *, seed: int, draws: int = DRAWS) -> float | None:
    """Return the least win share that is shown with the chance `POWER`; `None` where none below .99 is."""

    def enough(share: float) -> bool:
        return _finds(design, spread, share, seed, draws)

    low, high = 0.5, 0.99
    if not enough(high):
        return None
    while high - low > 0.001:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def items_for_share(
    design: PairDesign, spread: PairSpread, share: float, *, seed: int, draws: int = DRAWS
) -> int | None:
    """Return how many items show a win share with the chance `POWER`; `None`: as many as `max_items` do not.

    The number of items of `design` is not looked at. Where raters' tastes differ, more items alone do not always help.
    """

    def enough(items: int) -> bool:
        return _finds(design._replace(items=items), spread, share, seed, draws)

    return least_items(enough, max_items(design))


def max_items(design: PairDesign) -> int:
    """Return up to how many items `items_for_share` looks."""
    return max(FEWEST, min(MAX_ITEMS, MAX_VOTES * design.items // _bearing(design)))


def simulated_votes(
    design: PairDesign, spread: PairSpread, share: float, *, seed: int, draws: int = DRAWS
) -> Iterator[PairedVotes]:
    """Yield the votes of `draws` campaigns that bear on systems 0 and 1, of which 0 has a win share against 1.

    Votes of two other systems on each other change nothing in the difference of these, and are left out.
    """
    expect_pairs(design, spread)
    others = range(2, design.systems)
    pairs = np.array([(0, 1), *((0, one) for one in others), *((1, one) for one in others)])
    item = np.repeat(np.arange(design.items), len(pairs) * design.per_item)
    pair = np.tile(np.repeat(np.arange(len(pairs)), design.per_item), design.items)
    rater = np.arange(len(item)) % design.raters
    first, second = pairs[pair].T
    apart, cut = _apart(spread, share)
    strengths = np.zeros(design.systems)
    strengths[:2] = apart / 2, -apart / 2
    between = (strengths[first] - strengths[second])[:, None]
    rng = np.random.default_rng(np.random.SeedSequence([seed, *design]))
    step = max(1, _CELLS // len(item))
    for start in range(0, draws, step):
        n = min(step, draws - start)
        chance = rng.random((len(item), n), dtype=np.float32)  # single precision: twice as fast, and ties are not equal
        with np.errstate(divide="ignore"):
            felt = between + np.log(chance) - np.log1p(-chance)
        of_item = spread.item / math.sqrt(2) * rng.standard_normal((design.systems, design.items, n))
        of_rater = spread.rater / math.sqrt(2) * rng.standard_normal((design.systems, design.raters, n))
        felt += of_item[first, item] - of_item[second, item]
        felt += of_rater[first, rater] - of_rater[second, rater]
        yield PairedVotes(first, second, item, rater, np.sign(felt) * (np.abs(felt) > cut))


def _finds(design: PairDesign, spread: PairSpread, share: float, seed: int, draws: int) -> bool:
    """Return whether campaigns show a win share with the chance `POWER`."""
    return often_enough(_shown(design, spread, share, seed=seed, draws=draws), POWER)


def _shown(
    design: PairDesign, spread: PairSpread, share: float, *, seed: int, draws: int
) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield of simulated campaigns whether system 0 is shown to have another win share than 1, in batches."""
    for votes in simulated_votes(design, spread, share, seed=seed, draws=draws):
        pair = votes.first * design.systems + votes.second
        direct = (votes.first == 0) & (votes.second == 1)
        sign = np.where(votes.first == 0, 1.0, -1.0)
        weight = np.where(direct, 1.0, sign / 2) / (design.systems - 1) / (design.items * design.per_item)
        left = np.empty_like(votes.said)
        for one in np.unique(pair):
            mine = pair == one
            left[mine] = votes.said[mine] - votes.said[mine].mean(axis=0)
        errors = two_way_errors(votes.item, votes.rater, weight[:, None] * left)
        yield np.abs(weight @ votes.said) > errors.error * student_cuts(errors.freedom, design.level)


def _bearing(design: PairDesign) -> int:
    """Return how many votes bear on one pair."""
    return design.items * design.per_item * (2 * design.systems - 3)


def _apart(spread: PairSpread, share: float) -> tuple[float, float]:
    """Return how far two systems are apart that have a win share against each other, and what is felt as a tie."""
    wide = math.hypot(spread.item, spread.rater)
    cut = inverse(lambda cut: _tie_share(0.0, wide, cut), spread.ties, 60.0)
    return inverse(lambda apart: _win_share(apart, wide, cut), share, 60.0), cut


def _mean(values: Floats) -> float:
    return float(values @ _WEIGHTS / _WEIGHTS.sum())


def _above(apart: float, wide: float, cut: float) -> float:
    """Return how often a difference is felt that is greater than `cut`."""
    return _mean(1 / (1 + np.exp(-(apart + wide * _NODES - cut))))


def _tie_share(apart: float, wide: float, cut: float) -> float:
    return _above(apart, wide, -cut) - _above(apart, wide, cut)


def _win_share(apart: float, wide: float, cut: float) -> float:
    return (_above(apart, wide, cut) + _above(apart, wide, -cut)) / 2
