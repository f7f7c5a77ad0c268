"""Made-up test sets whose true scores are known: counts of systems over dialogues with several items each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from duologue.metrics.corpus_bleu import Bleu, bleu_columns
from duologue.metrics.counts import Counts, Metric, share
from duologue.metrics.overlap import Overlap
from duologue.metrics.rank import PrecisionAt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.random import Generator

    from duologue.metrics.counts import Floats

    Sampler = Callable[[Generator], Floats]
    """Draws the counts of dialogues, (dialogues, columns)."""

RARE = 1e-9
"""Chance of an outcome that is not looked at."""
P1, FACTS, BLEU4 = PrecisionAt(1), Overlap("facts", "f1"), Bleu(4)


class Combined(Metric[Any]):
    """A sum of scores as MobileCS ranks by: success per dialogue, F1 of intents, share of words matched."""

    name = "combined"
    columns = ("dialogues", "fulfilled", "hit", "said", "wanted", "matched", "words")
    formula = "combined = fulfilled / dialogues + 2 hit / (said + wanted) + matched / words"
    percent = False

    def count(self, seen: Sequence[float]) -> tuple[float, ...]:
        """Return what was counted."""
        return tuple(seen)

    def total(self, sums: Floats) -> Floats:
        """Return the sum of the three."""
        parts = [(sums[..., 1], sums[..., 0]), (2 * sums[..., 2], sums[..., 3] + sums[..., 4])]
        result: Floats = share(*parts[0]) + share(*parts[1]) + share(sums[..., 5], sums[..., 6])
        return result


COMBINED = Combined()


def counts_of(rows: Floats, metric: Metric[Any]) -> Counts:
    """Return counts whose items are whole dialogues."""
    names = tuple(f"{number:05}" for number in range(len(rows)))
    return Counts(names, metric.columns, rows, names)


def easiness(rng: Generator, dialogues: int, mean: float, alike: float) -> Floats:
    """Return each dialogue's chance of a hit; `alike` is the correlation of two items of one dialogue."""
    if not alike:
        return np.full(dialogues, mean)
    return rng.beta(mean * (1 - alike) / alike, (1 - mean) * (1 - alike) / alike, dialogues)


def hits(dialogues: int, items: int, mean: float, alike: float) -> Sampler:
    """Return a sampler of hits: `items` of each dialogue, `mean` of them right."""

    def draw(rng: Generator) -> Floats:
        right = rng.binomial(items, easiness(rng, dialogues, mean, alike))
        return np.stack([np.full(dialogues, items), right], axis=1).astype(np.float64)

    return draw


def outcomes(dialogues: int, items: int, mean: float, alike: float) -> Iterator[tuple[float, Floats]]:
    """Yield what `hits` may draw: a chance and the counts of its dialogues.

    Outcomes with the same hits in all and the same squares, which have the same interval, are one; those rarer than
    `RARE` are left out at every step.
    """
    chances = _hits_of_one(items, mean, alike)
    right = np.arange(items + 1)
    wide = dialogues * items**2 + 1
    codes = np.zeros(1, dtype=np.int64)
    found: Floats = np.ones(1)
    steps = []
    for _ in range(dialogues):
        made = (codes[:, None] + right * wide + right**2).ravel()
        codes, first, place = np.unique(made, return_index=True, return_inverse=True)
        together = np.bincount(place.ravel(), weights=(found[:, None] * chances).ravel())
        kept = together > RARE
        codes, found = codes[kept], np.asarray(together[kept])
        steps.append(np.divmod(first[kept], items + 1))  # the outcome before and the hits of this dialogue
    place, taken = np.arange(len(codes)), []
    for before, one in reversed(steps):
        taken.append(one[place])
        place = before[place]
    for chance, row in zip(found, np.stack(taken, axis=1), strict=True):
        yield float(chance), np.stack([np.full(dialogues, items), row], axis=1).astype(np.float64)


def _hits_of_one(items: int, mean: float, alike: float) -> Floats:
    """Return the chances of 0, 1, ... hits in one dialogue, as `easiness` has them."""
    a, b = (mean * (1 - alike) / alike, (1 - mean) * (1 - alike) / alike) if alike else (mean, 1 - mean)
    made = []
    for right in range(items + 1):
        chance = float(math.comb(items, right))
        for step in range(items):
            up = step < right
            chance *= (a if up else b) + (alike > 0) * (step if up else step - right)
            chance /= a + b + (alike > 0) * step
        made.append(chance)
    return np.array(made)


def rivals(dialogues: int, items: int, mean: float, alike: float, systems: int, gain: float = 0.0) -> Sampler:
    """Return a sampler of the hits of systems on the same dialogues, (systems, dialogues, 2).

    All are equally good but the last, whose true score is higher by `gain`.
    """

    def draw(rng: Generator) -> Floats:
        easy = easiness(rng, dialogues, mean, alike)
        chance = np.repeat(easy[None], systems, axis=0)
        chance[-1] += gain / (1 - mean) * (1 - easy)
        right = rng.binomial(items, chance)
        return np.stack([np.full(right.shape, items), right], axis=2).astype(np.float64)

    return draw


def facts(dialogues: int, items: int) -> Sampler:
    """Return a sampler of facts hit, said and wanted in dialogues of about `items` turns."""

    def draw(rng: Generator) -> Floats:
        turns = 1 + rng.poisson(items - 1, dialogues)
        said, wanted = rng.poisson(8 * turns) + 1, rng.poisson(8 * turns) + 1
        hit = rng.binomial(np.minimum(said, wanted), rng.beta(4, 4, dialogues))
        return np.stack([hit, said, wanted], axis=1).astype(np.float64)

    return draw


def texts(dialogues: int, items: int) -> Sampler:
    """Return a sampler of BLEU counts: replies of 6 to 19 words, better ones in some dialogues than in others."""

    def draw(rng: Generator) -> Floats:
        n = dialogues * items
        said = rng.integers(6, 20, n)
        wanted = np.maximum(4, said + rng.integers(-3, 4, n))
        quality = np.repeat(0.3 + 0.6 * rng.beta(5, 5, dialogues), items)
        matched = rng.random((n, 19)) < quality[:, None]
        matched &= np.arange(19) < said[:, None]
        columns = [said, wanted]
        run = np.ones((n, 20), dtype=bool)
        for order in range(1, 5):
            run = run[:, :-1] & matched[:, order - 1 :]
            columns += [run.sum(axis=1), np.maximum(said - order + 1, 0)]
        rows = np.stack(columns, axis=1).reshape(dialogues, items, len(bleu_columns("coco")))
        sums: Floats = rows.sum(axis=1).astype(np.float64)
        return sums

    return draw


def combined(dialogues: int) -> Sampler:
    """Return a sampler of the counts of `Combined`."""

    def draw(rng: Generator) -> Floats:
        quality, turns = rng.beta(4, 3, dialogues), rng.poisson(7, dialogues) + 1
        fulfilled = rng.random(dialogues) < quality
        hit, matched = rng.binomial(turns, 0.4 + 0.5 * quality), rng.binomial(12 * turns, 0.1 + 0.2 * quality)
        columns = [np.ones(dialogues), fulfilled, hit, turns, turns, matched, 12 * turns]
        return np.stack(columns, axis=1).astype(np.float64)

    return draw
