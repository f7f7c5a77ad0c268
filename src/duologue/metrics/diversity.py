"""DISTINCT-n (Li et al. 2016): the share of distinct n-grams among all generated ones.

It is not additive. An n-gram that two replies share is one n-gram of both together, and every resample with
replacement repeats replies, so a bootstrap of DISTINCT centres far below the score. The interval here is the
delete-one jackknife instead: each item (or dialogue) is left out once, which needs only how many n-grams occur in it
alone. By Efron and Stein (1981) the variance it gives is on average too large rather than too small.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from duologue.metrics.counts import share
from duologue.metrics.formulas import Ratio
from duologue.metrics.intervals import NORMAL, Interval
from duologue.metrics.significance import FEWEST

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Diversity:
    """What was counted of the n-grams of a corpus."""

    said: Integers
    """Per item, how many n-grams it holds."""
    fresh: Integers
    """Per item, how many different n-grams occur in it and in no item before it. They sum to all different ones."""
    group_said: Integers
    """Per group (an item, where no groups were given), how many n-grams it holds."""
    group_alone: Integers
    """Per group, how many different n-grams occur in it and in no other."""

    def value(self) -> float:
        """Return different / all n-grams; NaN without any."""
        said = int(self.said.sum())
        return int(self.fresh.sum()) / said if said else float("nan")

    def ends(self) -> tuple[float, float] | None:
        """Return the ends of the jackknife interval, cut to 0 and 1; `None` without n-grams or five groups."""
        _, low, high = self.spread()
        return None if low is None or high is None else (low, high)

    def spread(self) -> Interval:
        """Return the value with its jackknife interval, cut to 0 and 1; none for fewer than five groups."""
        value = self.value()
        different, said = int(self.fresh.sum()), int(self.said.sum())
        kept = share((different - self.group_alone).astype(np.float64), (said - self.group_said).astype(np.float64))
        kept = kept[~np.isnan(kept)]
        if len(kept) < FEWEST:
            return Interval(value, None, None)
        error = float(np.sqrt((len(kept) - 1) / len(kept) * np.square(kept - kept.mean()).sum()))
        return Interval(value, max(0.0, value - NORMAL * error), min(1.0, value + NORMAL * error))


class Distinct(Ratio):
    """DISTINCT-n of a corpus of replies: different n-grams / n-grams. Looks at the n-grams of one reply.

    Counts `n-grams said` and `n-grams new`. The counts of a corpus come from `count_distinct`, where an n-gram is
    new in the first reply that holds it: added up they give the score, drawn again they would not, so it is marked
    as not additive. Falls with the number of replies: compare only on equal test sets.
    """

    def __init__(self, n: int, key: str = "tuple", *, name: str = "", **options: Any) -> None:
        mark = " joined" if key == "joined" and n > 1 else ""
        name = name or f"distinct-{n}"
        formula = f"{name} = different / all {n}-grams said, corpus, {key} keys"
        super().__init__(name, f"{n}-grams{mark} new", f"{n}-grams said", formula, additive=False, **options)

    def count(self, seen: Sequence[Hashable]) -> tuple[float, float]:
        """Return how many n-grams a reply holds, and how many different ones, as if it stood alone."""
        return float(len(seen)), float(len(set(seen)))


def count_distinct(replies: Sequence[Sequence[Hashable]], groups: Sequence[Hashable] | None = None) -> Diversity:
    """Count the n-grams of replies; `groups` names the dialogue of each, for the interval.

    >>> count_distinct([["a", "b"], ["a"]]).value()
    0.6666666666666666
    """
    keys: dict[Hashable, int] = {}
    codes = [keys.setdefault(gram, len(keys)) for grams in replies for gram in grams]
    sizes = np.array([len(grams) for grams in replies], dtype=np.int64)
    return diversity_of(np.array(codes, dtype=np.int64), sizes, groups)


def diversity_of(codes: Integers, sizes: Integers, groups: Sequence[Hashable] | None = None) -> Diversity:
    """Count n-grams that are given as numbers, not negative, all replies in a row; `sizes` says how many each has."""
    items = len(sizes)
    names: dict[Hashable, int] = {}
    group = np.array([names.setdefault(name, len(names)) for name in groups or range(items)], dtype=np.int64)
    owner = np.repeat(np.arange(items), sizes)
    first, _ = _ends(codes, owner, items)
    lowest, highest = _ends(codes, group[owner], len(names))
    return Diversity(
        said=sizes,
        fresh=np.bincount(first, minlength=items),
        group_said=np.bincount(group, weights=sizes, minlength=len(names)).astype(np.int64),
        group_alone=np.bincount(lowest[lowest == highest], minlength=len(names)),
    )


def _ends(codes: Integers, owner: Integers, owners: int) -> tuple[Integers, Integers]:
    """Return the first and the last owner of each different code."""
    if not len(codes):
        return codes, codes
    if int(codes.max()) >= (1 << 62) // owners:  # code and owner do not fit one number: smaller codes will
        codes = np.unique(codes, return_inverse=True)[1]
    keys = np.sort(codes * owners + owner)
    kinds = keys // owners
    bounds = np.flatnonzero(np.diff(kinds, prepend=-1, append=-1))
    return keys[bounds[:-1]] % owners, keys[bounds[1:] - 1] % owners
