"""Coefficients of agreement as formulas over sums of units, so that units can be left out at no cost.

Each takes the numbers that it sums per unit from a table of units by raters (NaN: not rated), with the values as
categories 0 .. q - 1, and gives the coefficient for any sums of them. NaN stands for a coefficient that is not defined.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from duologue.metrics.counts import share

if TYPE_CHECKING:
    from duologue.metrics.counts import Floats

Level = Literal["nominal", "ordinal", "interval"]
Weights = Literal["none", "linear", "quadratic"]


class Coefficient(ABC):
    """One coefficient of agreement among raters."""

    name: str
    source: str
    complete: bool = False
    """Whether it needs units that every rater rated."""

    @abstractmethod
    def sums(self, units: Floats, points: int) -> Floats:
        """Return what is summed, (units, K), of categories (units, raters) from 0 to `points` - 1, with NaN."""

    @abstractmethod
    def total(self, sums: Floats, points: int) -> Floats:
        """Return the coefficient for sums, shape (..., K) -> (...); NaN where it is not defined."""


def category_counts(units: Floats, points: int) -> Floats:
    """Return how many raters put each unit into each category, (units, points).

    >>> category_counts(np.array([[0.0, 2.0, np.nan]]), 3).tolist()
    [[1.0, 0.0, 1.0]]
    """
    return np.stack([(units == one).sum(axis=1) for one in range(points)], axis=1).astype(np.float64)


class KrippendorffAlpha(Coefficient):
    """Krippendorff's alpha for nominal, ordinal and interval data, with missing ratings."""

    source = "Krippendorff 2011, Computing Krippendorff's alpha-reliability"

    def __init__(self, level: Level) -> None:
        self.name, self.level = f"alpha ({level})", level

    def sums(self, units: Floats, points: int) -> Floats:
        """Return the coincidence matrix of each unit with two ratings or more, flat."""
        counts = category_counts(units, points)
        rated = counts.sum(axis=1)
        pairs = counts[:, :, None] * counts[:, None, :]
        pairs -= counts[:, :, None] * np.eye(points)
        weights = np.where(rated > 1, 1 / np.maximum(rated - 1, 1), 0.0)
        flat: Floats = (pairs * weights[:, None, None]).reshape(len(units), points * points)
        return flat

    def total(self, sums: Floats, points: int) -> Floats:
        """Return 1 - observed / expected disagreement."""
        matrix = sums.reshape(*sums.shape[:-1], points, points)
        each = matrix.sum(axis=-1)
        distance = self._distance(each)
        n = each.sum(axis=-1)
        observed = (matrix * distance).sum(axis=(-1, -2)) * (n - 1)
        expected = (each[..., :, None] * each[..., None, :] * distance).sum(axis=(-1, -2))
        return 1 - share(observed, expected)

    def _distance(self, each: Floats) -> Floats:
        """Return the squared distances of the categories, given how often each occurs."""
        points = each.shape[-1]
        if self.level == "nominal":
            return 1 - np.eye(points)
        if self.level == "interval":
            return np.square(np.subtract.outer(np.arange(points), np.arange(points))).astype(np.float64)
        upto = np.cumsum(each, axis=-1) - each / 2  # the middle of each category among the ordered ratings
        distance: Floats = np.square(upto[..., :, None] - upto[..., None, :])
        return distance


class FleissKappa(Coefficient):
    """Fleiss' kappa (1971), with Gwet's (2014) handling of units that not all raters rated."""

    name = "Fleiss' kappa"
    source = "Fleiss 1971; Gwet 2014, chapter 3, for missing ratings"

    def sums(self, units: Floats, points: int) -> Floats:
        """Return per unit: agreement, whether it has two ratings, whether it has one, share of each category."""
        counts = category_counts(units, points)
        rated = counts.sum(axis=1)
        agreed = share((counts * (counts - 1)).sum(axis=1), rated * (rated - 1), 0.0)
        return np.column_stack([agreed, rated > 1, rated > 0, share(counts, rated[:, None], 0.0)])

    def total(self, sums: Floats, points: int) -> Floats:
        """Return (observed - expected) / (1 - expected)."""
        observed = share(sums[..., 0], sums[..., 1])
        expected = self._expected(share(sums[..., 3:], sums[..., 2:3]), points)
        return 1 - share(1 - observed, _cleared(1 - expected))

    def _expected(self, shares: Floats, points: int) -> Floats:  # noqa: ARG002  # of other coefficients
        expected: Floats = np.square(shares).sum(axis=-1)
        return expected


class GwetAc1(FleissKappa):
    """Gwet's AC1 (2008), which stays high where nearly all units are of one category."""

    name = "AC1"
    source = "Gwet 2008"

    def _expected(self, shares: Floats, points: int) -> Floats:
        expected: Floats = (shares * (1 - shares)).sum(axis=-1) / (points - 1)
        return expected


class WeightedKappa(Coefficient):
    """Cohen's kappa (1960, 1968) of two raters; of more, the mean over all pairs that share units (Light 1971)."""

    source = "Cohen 1968; Light 1971 for more than two raters"

    def __init__(self, weights: Weights) -> None:
        self.name = "kappa" if weights == "none" else f"kappa ({weights})"
        self.weights = weights

    def sums(self, units: Floats, points: int) -> Floats:
        """Return the table of each pair of raters, flat."""
        tables = []
        for a, b in combinations(range(units.shape[1]), 2):
            both = ~np.isnan(units[:, a]) & ~np.isnan(units[:, b])
            cells = np.where(both, np.nan_to_num(units[:, a]) * points + np.nan_to_num(units[:, b]), -1).astype(int)
            tables.append((cells[:, None] == np.arange(points * points)).astype(np.float64))
        return np.concatenate(tables, axis=1) if tables else np.zeros((len(units), 0))

    def total(self, sums: Floats, points: int) -> Floats:
        """Return 1 - observed / expected disagreement, as a mean over the pairs for which it is defined."""
        table = sums.reshape(*sums.shape[:-1], -1, points, points)
        n = table.sum(axis=(-1, -2))
        apart = np.abs(np.subtract.outer(np.arange(points), np.arange(points))).astype(np.float64)
        cost = {"none": np.sign(apart), "linear": apart, "quadratic": np.square(apart)}[self.weights]
        observed = (table * cost).sum(axis=(-1, -2)) * n
        expected = (table.sum(axis=-1)[..., :, None] * table.sum(axis=-2)[..., None, :] * cost).sum(axis=(-1, -2))
        kappas = 1 - share(observed, expected)
        defined = ~np.isnan(kappas)
        return share(np.where(defined, kappas, 0.0).sum(axis=-1), defined.sum(axis=-1).astype(np.float64))


class IntraclassCorrelation(Coefficient):
    """ICC(2,1) of single ratings or ICC(2,k) of their mean (Shrout and Fleiss 1979): two-way random, absolute."""

    source = "Shrout and Fleiss 1979"
    complete = True

    def __init__(self, *, mean: bool) -> None:
        self.name, self.mean = "ICC(2,k)" if mean else "ICC(2,1)", mean

    def sums(self, units: Floats, points: int) -> Floats:
        """Return per unit: 1, the square of its sum, the sum of its squares, and the rating of each rater."""
        centred = units - (points - 1) / 2
        ones = np.ones(len(units))
        return np.column_stack([ones, np.square(centred.sum(axis=1)), np.square(centred).sum(axis=1), centred])

    def total(self, sums: Floats, points: int) -> Floats:  # noqa: ARG002  # of other coefficients
        """Return the coefficient from the mean squares of units, raters and the rest."""
        n, columns = sums[..., 0], sums[..., 3:]
        k = columns.shape[-1]
        middle = share(np.square(columns.sum(axis=-1)), n * k)
        rows, raters = sums[..., 1] / k - middle, share(np.square(columns).sum(axis=-1), n) - middle
        rest = sums[..., 2] - middle - rows - raters
        of_rows, of_raters = share(rows, n - 1), raters / (k - 1)
        of_rest = share(rest, (n - 1) * (k - 1))
        drift = share(of_raters - of_rest, n)
        below = of_rows + drift if self.mean else of_rows + (k - 1) * of_rest + k * drift
        return share(of_rows - of_rest, _cleared(below))


def _cleared(below: Floats) -> Floats:
    """Return a denominator with 0 where only rounding is left of it."""
    return np.where(np.abs(below) < 1e-12, 0.0, below)


COEFFICIENTS: tuple[Coefficient, ...] = (
    KrippendorffAlpha("ordinal"),
    KrippendorffAlpha("nominal"),
    KrippendorffAlpha("interval"),
    WeightedKappa("linear"),
    WeightedKappa("quadratic"),
    FleissKappa(),
    GwetAc1(),
    IntraclassCorrelation(mean=False),
    IntraclassCorrelation(mean=True),
)
"""All that are told of a criterion; alpha for ordered points first, which takes missing ratings."""
