"""Campaigns of ratings and of pairwise judgements, drawn from populations whose true scores are known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.ratings.judgement import Preference
from duologue.ratings.protocol import Criterion, RatingProtocol
from duologue.ratings.table import RatingTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.ratings.judgement import Outcome

_CUTS = np.array([-0.7, 0.9])
_SCALE = Criterion(name="quality", high=2)
_OUTCOMES: tuple[Outcome, ...] = ("a", "b", "tie")
_POPULATION = 200_000


class Campaign(NamedTuple):
    """Points 0 to 2, cut from a latent sum: quality, item, how it suits the system, rater, their taste, and chance."""

    raters: int
    items: int
    per_item: int
    systems: tuple[str, ...] = ("a", "b")
    quality: tuple[float, ...] = (0.0, 0.3)
    item: float = 0.5
    suits: float = 0.5
    rater: float = 0.3
    taste: float = 0.3
    chance: float = 0.7
    overlap: float = 1.0
    """Share of the items that `per_item` people rate; the others have one rater."""

    @property
    def protocol(self) -> RatingProtocol:
        """One criterion."""
        return RatingProtocol(name="simulated", about="", source="", rule="", criterion=(_SCALE,))

    def truth(self) -> np.ndarray:
        """Return the mean of each system over all items and raters there could be."""
        spread = math.sqrt(sum(one**2 for one in (self.item, self.suits, self.rater, self.taste, self.chance)))
        above = [
            [0.5 * math.erfc((cut - quality) / spread / math.sqrt(2)) for cut in _CUTS] for quality in self.quality
        ]
        found: np.ndarray = np.array(above).sum(axis=1)
        return found

    def table(self, seed: int) -> RatingTable:
        """Return the ratings of one campaign; items go to the raters in turn."""
        rng = np.random.default_rng(seed)
        several = np.arange(self.items) < round(self.overlap * self.items)
        item = np.repeat(np.arange(self.items), np.where(several, self.per_item, 1))
        rater = np.arange(len(item)) % self.raters
        base = rng.normal(0, self.item, self.items)[item] + rng.normal(0, self.rater, self.raters)[rater]
        values = []
        for quality in self.quality:
            said = quality + base + rng.normal(0, self.suits, self.items)[item]
            said += rng.normal(0, self.taste, self.raters)[rater] + rng.normal(0, self.chance, len(item))
            values.append((said[:, None] > _CUTS).sum(axis=1).astype(float))
        n = len(self.systems)
        return RatingTable(
            tuple(f"{one:05}" for one in range(self.items)),
            self.systems,
            tuple(f"{one:05}" for one in range(self.raters)),
            ("quality",),
            np.tile(item, n),
            np.repeat(np.arange(n), len(item)),
            np.tile(rater, n),
            np.zeros(n * len(item), dtype=np.int64),
            np.concatenate(values),
        )


class Battles(NamedTuple):
    """Pairwise judgements with ties: every pair of systems on every item by one rater, in turn."""

    raters: int
    items: int
    taste: float
    item: float
    systems: tuple[str, ...] = ("a", "b", "c", "d")
    quality: tuple[float, ...] = (0.0, 0.25, 0.5, 0.9)
    ties: float = -0.9
    """Logarithm of Davidson's parameter: about 15 % ties."""

    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return all pairs of systems."""
        a, b = np.triu_indices(len(self.systems), 1)
        return a, b

    def preferences(self, seed: int) -> list[Preference]:
        """Return the judgements of one campaign."""
        rng = np.random.default_rng(seed)
        a, b = self.pairs()
        item = np.repeat(np.arange(self.items), len(a))
        first, second = np.tile(a, self.items), np.tile(b, self.items)
        rater = rng.permutation(np.arange(len(item)) % self.raters)
        tastes = rng.normal(0, self.taste, (self.raters, len(self.systems)))
        suits = rng.normal(0, self.item, (self.items, len(self.systems)))
        quality = np.array(self.quality)
        x = quality[first] + tastes[rater, first] + suits[item, first]
        y = quality[second] + tastes[rater, second] + suits[item, second]
        outcome = (rng.random(len(item))[:, None] > np.cumsum(_chances(x, y, self.ties), axis=1)).sum(axis=1)
        return [
            Preference(f"{i:05}", self.systems[s], self.systems[t], f"{r:05}", "overall", _OUTCOMES[min(o, 2)])
            for i, s, t, r, o in zip(item, first, second, rater, outcome, strict=True)
        ]


def _chances(x: np.ndarray, y: np.ndarray, ties: float) -> np.ndarray:
    powers = np.exp(np.stack([x, y, ties + (x + y) / 2], axis=1))
    found: np.ndarray = powers / powers.sum(axis=1, keepdims=True)
    return found


def battle_truth(battles: Battles) -> tuple[np.ndarray, float]:
    """Return the true win shares over all raters and items there could be, and the share of ties."""
    rng = np.random.default_rng(0)
    n = len(battles.systems)
    spread = math.hypot(battles.taste, battles.item)
    drawn = np.array(battles.quality) + rng.normal(0, spread, (_POPULATION, n))
    shares, ties = np.zeros(n), 0.0
    a, b = battles.pairs()
    for first, second in zip(a, b, strict=True):
        chances = _chances(drawn[:, first], drawn[:, second], battles.ties).mean(axis=0)
        shares[first] += (chances[0] + chances[2] / 2) / (n - 1)
        shares[second] += (chances[1] + chances[2] / 2) / (n - 1)
        ties += chances[2] / len(a)
    return shares, float(ties)


def habit_of_battles(said: Sequence[Preference], systems: Sequence[str]) -> list[tuple[float, float]]:
    """Return intervals as they are usual: ties left out, and judgements taken for independent ones."""
    found = []
    for system in systems:
        wins = np.array(
            [(one.a == system) == (one.outcome == "a") for one in said if one.outcome != "tie" and system in one[1:3]],
            dtype=float,
        )
        half = 1.96 * wins.std(ddof=1) / math.sqrt(len(wins))
        found.append((float(wins.mean() - half), float(wins.mean() + half)))
    return found
