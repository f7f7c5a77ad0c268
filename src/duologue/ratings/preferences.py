"""Systems from pairwise judgements: Bradley and Terry's model with ties (Davidson 1970), told as win shares.

Of systems with strengths p and q, the first wins with the chance p / (p + q + v sqrt(p q)), and they tie with the
chance v sqrt(p q) / (p + q + v sqrt(p q)). A system's win share is what it may expect against another one drawn at
random: its wins and half of its ties. Errors are two-way, as those of ratings.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.core.errors import UsageError
from duologue.metrics.intervals import wilson
from duologue.metrics.softmax import softmax
from duologue.metrics.student import student_cut
from duologue.metrics.tiers import standings
from duologue.ratings.contrasts import Estimate, corrected, difference_test
from duologue.ratings.table import expect_systems
from duologue.ratings.two_way import two_way_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.metrics.counts import Floats
    from duologue.metrics.tiers import Standing
    from duologue.ratings.contrasts import PairTest
    from duologue.ratings.judgement import Preference
    from duologue.ratings.table import Integers
    from duologue.ratings.two_way import Errors

_PRIOR = 1e-3
"""A pull on the strengths, in judgements: so that a system that never loses has one."""
_MAX_CELLS = 20_000_000
"""Judgements by systems that are held at once, several times."""
_STEPS = 100
_STILL = 1e-11


class PreferredSystem(NamedTuple):
    """One system's place among pairwise judgements."""

    system: str
    wins: int
    losses: int
    ties: int
    win_share: Estimate
    standing: Standing


class PreferredSystems(NamedTuple):
    """All systems, the best first."""

    systems: tuple[PreferredSystem, ...]
    tests: tuple[PairTest, ...]
    """Of the win shares, all pairs: one family."""
    tie_share: float
    both_ways: bool


class DavidsonModel(NamedTuple):
    """What was fitted."""

    strengths: Floats
    """Logarithms, with mean 0, (systems,)."""
    ties: float
    """Logarithm of v; minus infinity where nobody tied."""

    def chances(self, a: Integers, b: Integers) -> Floats:
        """Return the chances that a wins, b wins, and of a tie, (..., 3)."""
        x, y = self.strengths[a], self.strengths[b]
        logits = np.stack([x, y, self.ties + (x + y) / 2], axis=-1)
        return softmax(logits)

    def win_shares(self) -> Floats:
        """Return what each system may expect against another drawn at random, (systems,)."""
        n = len(self.strengths)
        a, b = np.divmod(np.arange(n * n), n)
        chances = self.chances(a, b).reshape(n, n, 3)
        expected = chances[..., 0] + chances[..., 2] / 2
        found: Floats = (expected.sum(axis=1) - np.diag(expected)) / (n - 1)
        return found


def fit_davidson(a: Integers, b: Integers, outcome: Integers, systems: int) -> DavidsonModel:
    """Return the model of greatest likelihood by Newton's steps; `outcome` is 0 (a), 1 (b) or 2 (tie)."""
    model, _, _ = _fitted(a, b, outcome, systems)
    return model


def rank_by_preference(preferences: Sequence[Preference]) -> PreferredSystems:
    """Return win shares with intervals, tests and tiers from judgements on one criterion.

    Raises `UsageError` for fewer than two systems, for too many, and for systems that no chain of judgements joins.
    """
    systems = sorted({name for one in preferences for name in (one.a, one.b)})
    if len(systems) < 2:
        raise UsageError("pairwise judgements of two systems or more are needed")
    expect_systems(systems)
    if len(preferences) * (len(systems) + 1) > _MAX_CELLS:
        raise UsageError(
            f"{len(preferences):,} judgements of {len(systems):,} systems are more than can be compared at once; leave "
            "out systems, or a part of the judgements"
        )
    place = {name: number for number, name in enumerate(systems)}
    a = np.array([place[one.a] for one in preferences])
    b = np.array([place[one.b] for one in preferences])
    outcome = np.array([("a", "b", "tie").index(one.outcome) for one in preferences])
    _expect_joined(systems, a, b)
    model, scores, hessian = _fitted(a, b, outcome, len(systems))
    shares = model.win_shares()
    influence = scores @ np.linalg.inv(hessian) @ _slopes(model).T  # of each judgement on each win share
    item, rater = (np.unique([one[field] for one in preferences], return_inverse=True)[1] for field in (0, 3))
    errors = two_way_errors(item, rater, influence)
    tests = []
    for first, second in combinations(range(len(systems)), 2):
        apart = two_way_errors(item, rater, (influence[:, first] - influence[:, second])[:, None])
        tests.append(difference_test(systems[first], systems[second], float(shares[first] - shares[second]), apart))
    made = corrected(tests)
    order = sorted(range(len(systems)), key=lambda one: (-round(float(shares[one]), 12), systems[one]))
    worse = {(one.better, one.b if one.better == one.a else one.a) for one in made if one.better}
    places = standings([systems[one] for one in order], worse)
    found = [
        PreferredSystem(
            systems[one],
            *_counts(one, a, b, outcome),
            _win_share(float(shares[one]), errors, one, settled=_is_settled(one, a, b, outcome)),
            standing,
        )
        for one, standing in zip(order, places, strict=True)
    ]
    return PreferredSystems(tuple(found), made, float((outcome == 2).mean()), errors.both_ways)


def _fitted(a: Integers, b: Integers, outcome: Integers, systems: int) -> tuple[DavidsonModel, Floats, Floats]:
    """Return the model, the score of each judgement, (judgements, systems + 1), and the Hessian of the likelihood."""
    rows = np.arange(len(a))
    features = np.zeros((3, len(a), systems + 1))  # of each outcome: the strengths that it adds up, and whether it ties
    features[0, rows, a] = features[1, rows, b] = 1.0
    features[2, rows, a] = features[2, rows, b] = 0.5
    features[2, :, -1] = 1.0
    said = features[outcome, rows]
    tied = bool((outcome == 2).any())
    values = np.zeros(systems + 1)
    hessian = np.eye(systems + 1)
    pull = np.full(systems + 1, _PRIOR)
    for _ in range(_STEPS):
        model = DavidsonModel(values[:-1], float(values[-1]) if tied else -math.inf)
        chances = model.chances(a, b).T  # (3, judgements)
        expected = np.einsum("kn,knp->np", chances, features)
        gradient = (said - expected).sum(axis=0) - pull * values
        hessian = np.einsum("kn,knp,knq->pq", chances, features, features) - expected.T @ expected + np.diag(pull)
        step = np.linalg.solve(hessian, gradient)
        values = values + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
        if np.abs(step).max() < _STILL:
            break
    values[:-1] -= values[:-1].mean()
    model = DavidsonModel(values[:-1], float(values[-1]) if tied else -math.inf)
    chances = model.chances(a, b).T
    return model, said - np.einsum("kn,knp->np", chances, features), hessian


def _slopes(model: DavidsonModel) -> Floats:
    """Return how the win shares move with the parameters, (systems, systems + 1), by central differences."""
    n = len(model.strengths)
    width = 1e-5
    found = np.zeros((n, n + 1))
    for place in range(n + 1):
        moved = []
        for sign in (1, -1):
            strengths, ties = model.strengths.copy(), model.ties
            if place < n:
                strengths[place] += sign * width
            else:
                ties += sign * width
            moved.append(DavidsonModel(strengths, ties).win_shares())
        found[:, place] = (moved[0] - moved[1]) / (2 * width)
    return found


def _win_share(value: float, errors: Errors, place: int, *, settled: bool) -> Estimate:
    """Return a share with its interval, taken on the scale of logits so that no end leaves 0 to 1.

    Of a system that hardly ever loses, or wins, or only ties, or that has one outcome with each other system
    (`settled`), the errors say nothing: the interval is Wilson's for so many items.
    """
    cut = student_cut(float(errors.freedom[place]))
    if not errors.enough:
        return Estimate(value, None, None)
    if settled or min(value, 1 - value) * errors.items < 1 or float(errors.error[place]) < _STILL:
        return Estimate(value, *wilson(value, errors.items, cut))
    middle, half = math.log(value / (1 - value)), cut * float(errors.error[place]) / (value * (1 - value))
    return Estimate(value, *(1 / (1 + math.exp(-max(-700.0, min(700.0, middle + end)))) for end in (-half, half)))


def _counts(system: int, a: Integers, b: Integers, outcome: Integers) -> tuple[int, int, int]:
    """Return wins, losses and ties of a system."""
    wins = ((a == system) & (outcome == 0)) | ((b == system) & (outcome == 1))
    mine = (a == system) | (b == system)
    ties = mine & (outcome == 2)
    return int(wins.sum()), int((mine & ~wins & ~ties).sum()), int(ties.sum())


def _is_settled(system: int, a: Integers, b: Integers, outcome: Integers) -> bool:
    """Tell whether each other system always wins against this one, always loses, or always ties."""
    mine = (a == system) | (b == system)
    other = np.where(a == system, b, a)[mine]
    won = np.where(outcome == 2, 2, (a == system) == (outcome == 0))[mine]
    return len(np.unique(np.stack([other, won]), axis=1).T) == len(np.unique(other))


def _expect_joined(systems: Sequence[str], a: Integers, b: Integers) -> None:
    reached = {0}
    pairs = {(int(x), int(y)) for x, y in zip(a, b, strict=True)}
    for _ in systems:
        reached |= {y for x, y in pairs if x in reached} | {x for x, y in pairs if y in reached}
    apart = [name for place, name in enumerate(systems) if place not in reached]
    if apart:
        raise UsageError(f"nobody compared '{apart[0]}' with '{systems[0]}' or with any system that leads there")
