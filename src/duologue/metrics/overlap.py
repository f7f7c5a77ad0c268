"""Precision, recall and F1 over bags of tokens, pooled over the items (micro-average).

A token is whatever the scorer cuts: a character, a word, a fact. A bag counts repeats: of a token said three times
and wanted twice, two are hits.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.metrics.counts import Metric, share

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from duologue.metrics.counts import Floats


class TokenBags(NamedTuple):
    """What a metric over two bags looks at: the tokens of an answer and of its reference."""

    said: Iterable[Hashable]
    wanted: Iterable[Hashable]


class BagOverlap(NamedTuple):
    """Two bags compared."""

    hits: int
    """Size of their intersection, repeats counted."""
    said: int
    wanted: int


def count_overlap(said: Iterable[Hashable], wanted: Iterable[Hashable]) -> BagOverlap:
    """Return hits and sizes of two bags.

    >>> count_overlap("aab", "abb")
    BagOverlap(hits=2, said=3, wanted=3)
    """
    ours, theirs = Counter(said), Counter(wanted)
    return BagOverlap((ours & theirs).total(), ours.total(), theirs.total())


class _OverlapMetric(Metric[TokenBags]):
    """Counts `<unit> hit`, `<unit> said` and `<unit> wanted`; what the subclass divides is the score."""

    def __init__(self, unit: str, name: str, formula: str) -> None:
        self.unit = unit
        self.name = name
        self.columns = (f"{unit} hit", f"{unit} said", f"{unit} wanted")
        self.formula = f"{name} = {formula}"

    def count(self, seen: TokenBags) -> tuple[float, float, float]:
        """Return hits, said, wanted of one item."""
        hits, said, wanted = count_overlap(seen.said, seen.wanted)
        return float(hits), float(said), float(wanted)


class Precision(_OverlapMetric):
    """The share of what was said that was wanted; 0 where nothing was said though something was wanted."""

    def __init__(self, unit: str, name: str = "precision") -> None:
        super().__init__(unit, name, f"{unit} hit / {unit} said")

    def total(self, sums: Floats) -> Floats:
        """Return hits / said; NaN where nothing was said or wanted."""
        return _zero_if_silent(share(sums[..., 0], sums[..., 1]), sums)


class Recall(_OverlapMetric):
    """The share of what was wanted that was said; 0 where nothing was wanted though something was said."""

    def __init__(self, unit: str, name: str = "recall") -> None:
        super().__init__(unit, name, f"{unit} hit / {unit} wanted")

    def total(self, sums: Floats) -> Floats:
        """Return hits / wanted; NaN where nothing was said or wanted."""
        return _zero_if_silent(share(sums[..., 0], sums[..., 2]), sums)


class F1(_OverlapMetric):
    """The harmonic mean of precision and recall over the pooled counts (micro F1); 0 without a hit."""

    def __init__(self, unit: str, name: str = "f1") -> None:
        super().__init__(unit, name, f"2 p r / (p + r) of {unit}, pooled")

    def total(self, sums: Floats) -> Floats:
        """Return 2 p r / (p + r), computed in this order as the published scripts do; NaN without any token."""
        p = share(sums[..., 0], sums[..., 1])
        r = share(sums[..., 0], sums[..., 2])
        return _zero_if_silent(share(2 * p * r, p + r), sums)


def _zero_if_silent(value: Floats, sums: Floats) -> Floats:
    """Turn the NaN of a division by zero into 0 where at least one side held tokens."""
    result: Floats = np.where(np.isnan(value) & (sums[..., 1] + sums[..., 2] > 0), 0.0, value)
    return result


def overlap_metrics(unit: str, *, prefix: str = "") -> tuple[Metric[TokenBags], ...]:
    """Return precision, recall and F1 over one unit, their names behind `prefix`.

    >>> [metric.name for metric in overlap_metrics("facts", prefix="knowledge-")]
    ['knowledge-precision', 'knowledge-recall', 'knowledge-f1']
    """
    return (
        Precision(unit, f"{prefix}precision"),
        Recall(unit, f"{prefix}recall"),
        F1(unit, f"{prefix}f1"),
    )
