"""Precision, recall and F1 of what is said against what is wanted, pooled over the items (micro-average).

A unit is whatever the scorer counts: characters, words, facts, mentions, intents. Bags count repeats: of a token said
three times and wanted twice, two are hits.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from duologue.metrics.counts import Metric, share

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from duologue.metrics.counts import Floats

Measure = Literal["precision", "recall", "f1"]
MEASURES: tuple[Measure, ...] = ("precision", "recall", "f1")


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


class Overlap(Metric[Any]):
    """Precision, recall or F1 over counts summed over items: `<unit> hit`, `<unit> said`, `<unit> wanted`.

    0 / 0 is `empty`, and all measures are `nothing` where neither side holds anything. With `epsilon` each denominator
    has it added, as some official scripts do, so that a perfect score stays just below 1. `hits` is the first column's
    word. Over the counts of one item it is the measure of that item.
    """

    def __init__(
        self, unit: str, measure: Measure, *, name: str = "", hits: str = "hit", empty: float = 0.0,
        nothing: float = math.nan, epsilon: float = 0.0, remark: str = "", source: str = "",
    ) -> None:  # fmt: skip
        self.measure, self.empty, self.nothing, self.epsilon, self.source = measure, empty, nothing, epsilon, source
        self.name = name or measure
        self.columns = (f"{unit} {hits}", f"{unit} said", f"{unit} wanted")
        whole = {"precision": self.columns[1], "recall": self.columns[2]}.get(measure)
        self.share_of = (self.columns[0], whole) if whole and not epsilon else None
        formulas = {
            "precision": f"{unit} {hits} / said",
            "recall": f"{unit} {hits} / wanted",
            "f1": f"2 p r / (p + r) of {unit}",
        }
        added = f" (+{epsilon:g})" if epsilon else ""
        self.formula = f"{self.name} = {formulas[measure]}{added}, pooled{remark and f' ({remark})'}"

    def count(self, seen: Any) -> tuple[float, ...]:
        """Return hits, said, wanted of one item, given as `TokenBags` or as counts."""
        return tuple(map(float, count_overlap(*seen))) if isinstance(seen, TokenBags) else super().count(seen)

    def total(self, sums: Floats) -> Floats:
        """Return the measure; F1 as 2 p r / (p + r), computed in this order as the published scripts do."""
        hits, said, wanted = sums[..., 0], sums[..., 1], sums[..., 2]
        precision = share(hits, said + self.epsilon, self.empty)
        recall = share(hits, wanted + self.epsilon, self.empty)
        value = {"precision": precision, "recall": recall}.get(self.measure)
        if value is None:
            value = share(2 * precision * recall, precision + recall + self.epsilon, self.empty)
        return np.where(said + wanted == 0, self.nothing, value)


def overlap_metrics(unit: str, *, prefix: str = "", **options: Any) -> tuple[Overlap, ...]:
    """Return precision, recall and F1 over one unit, their names behind `prefix`; `options` are those of `Overlap`.

    >>> [metric.name for metric in overlap_metrics("facts", prefix="knowledge-")]
    ['knowledge-precision', 'knowledge-recall', 'knowledge-f1']
    """
    return tuple(Overlap(unit, measure, name=f"{prefix}{measure}", **options) for measure in MEASURES)
