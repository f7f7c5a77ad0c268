"""Precision at k and mean reciprocal rank, from the rank of the true answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.metrics.counts import tally
from duologue.metrics.formulas import Ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.metrics.counts import Counts, Metric

DEFAULT_KS = (1, 2, 5)
"""The cut-offs of the restaurant challenge (DSTC6 track 1)."""

_PRECISION = re.compile(r"p@([1-9][0-9]{0,5})")


class PrecisionAt(Ratio):
    """The share of items whose true answer is among the first `k`. Counts `items` and `hit@k`.

    An item without a rank (missing from the file, ranking empty, true answer not listed) counts as wrong and
    stays in the denominator.
    """

    def __init__(self, k: int) -> None:
        if k < 1:
            raise ValueError(f"k is {k}; precision is taken at 1 or more")
        self.k = k
        source = "DSTC6 track 1, official scorer (precision at 1, 2 and 5)"
        super().__init__(f"p@{k}", f"hit@{k}", "items", source=source)

    def count(self, seen: int | None) -> tuple[float, float]:
        """Return 1 and whether rank `seen` (from 1; `None` = not ranked) is at most k."""
        return 1.0, float(seen is not None and 1 <= seen <= self.k)


class ReciprocalRank(Ratio):
    """The mean of 1 / rank of the true answer (MRR); an item without a rank adds 0 and stays in the denominator."""

    def __init__(self) -> None:
        formula, source = "mrr = sum(1 / rank) / items", "Voorhees 1999, mean reciprocal rank"
        super().__init__("mrr", "reciprocal rank", "items", formula, source=source)

    def count(self, seen: int | None) -> tuple[float, float]:
        """Return 1 and 1 / `seen`, the rank from 1; 0 for `None` or a rank below 1."""
        return 1.0, 1.0 / seen if seen is not None and seen >= 1 else 0.0


def ranking_metrics(ks: Sequence[int] = DEFAULT_KS) -> tuple[Metric[int | None], ...]:
    """Return precision at each of `ks`, then the mean reciprocal rank."""
    return (*(PrecisionAt(k) for k in ks), ReciprocalRank())


def ranking_metric(name: str) -> Metric[int | None] | None:
    """Return the metric called `name` (`p@3`, `mrr`), or `None` when it is not one of this module.

    >>> ranking_metric("p@3").formula
    'p@3 = hit@3 / items'
    """
    if name == "mrr":
        return ReciprocalRank()
    found = _PRECISION.fullmatch(name)
    return PrecisionAt(int(found[1])) if found else None


def rank_of(answer_id: str | None, ranking: Sequence[str] | None) -> int | None:
    """Return the place of the true answer, from 1.

    `None` when there is no ranking, it is empty, or it does not hold the answer, and when the answer is not
    known. Of an id listed twice the first place counts.

    >>> rank_of("b", ["a", "b"]), rank_of("c", ["a", "b"]), rank_of("a", [])
    (2, None, None)
    """
    if answer_id is None or not ranking or answer_id not in ranking:
        return None
    return ranking.index(answer_id) + 1


def count_ranks(
    ids: Sequence[str],
    ranks: Sequence[int | None],
    *,
    ks: Sequence[int] = DEFAULT_KS,
    groups: Sequence[str] | None = None,
) -> Counts:
    """Return the counts of `ranking_metrics(ks)`: items, hit@k for each k, reciprocal rank.

    `ranks` holds the true answer's rank per item, from 1; `None` = missing or not ranked, counted as wrong.
    No items give empty counts, whose scores are NaN.

    >>> count_ranks(["x", "y"], [1, None]).array.tolist()
    [[1.0, 1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0, 0.0]]
    """
    return tally(ranking_metrics(ks), ids, ranks, groups=groups)
