"""Precision, recall and F1 of extracted items: mentions, slots, intents.

What is counted per item comes as a mapping from column to number; a formula reads its columns by name. All are
formulas over sums, so items or whole dialogues can be left out and swapped.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from duologue.metrics.counts import Counts, Metric

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from duologue.metrics.counts import Floats

Counted = dict[str, float]
"""Column to number, for one item."""

Measure = Literal["precision", "recall", "f1"]


def count_matches(said: Iterable[Hashable], wanted: Iterable[Hashable]) -> int:
    """Return how many of `said` are found in `wanted`, each of these used once (multiset intersection).

    >>> count_matches(["a", "a", "b"], ["a", "b", "b"])
    2
    """
    left = Counter(wanted)
    found = 0
    for one in said:
        if left[one] > 0:
            left[one] -= 1
            found += 1
    return found


class Columns(Metric["Mapping[str, float]"]):
    """A formula whose counts were made before: `count` looks its columns up, 0 where there is none."""

    def count(self, seen: Mapping[str, float]) -> tuple[float, ...]:
        """Return the numbers of this formula's columns."""
        return tuple(seen.get(name, 0.0) for name in self.columns)


class Match(Columns):
    """Precision, recall or F1 of `what`, from the columns `<what> right`, `<what> said` and `<what> wanted`.

    With `epsilon` each denominator has it added, as some official scripts do, so that a perfect score stays just
    below 1. Without, 0 / 0 is `empty`.
    """

    def __init__(
        self, what: str, measure: Measure, *, epsilon: float = 0.0, empty: float = 0.0, source: str = ""
    ) -> None:
        self.measure, self.epsilon, self.empty, self.source = measure, epsilon, empty, source
        self.name = f"{what}-{measure}"
        self.columns = tuple(f"{what} {part}" for part in ("right", "said", "wanted"))
        added = f" (+{epsilon:g})" if epsilon else ""
        self.formula = {
            "precision": f"{self.name} = right / said{added}",
            "recall": f"{self.name} = right / wanted{added}",
            "f1": f"{self.name} = 2PR / (P + R{added}), P = right / said{added}, R = right / wanted{added}",
        }[measure]

    def total(self, sums: Floats) -> Floats:
        """Return the measure for sums of right, said and wanted."""
        right = sums[..., 0]
        precision = self._share(right, sums[..., 1])
        recall = self._share(right, sums[..., 2])
        if self.measure == "precision":
            return precision
        return recall if self.measure == "recall" else self._share(2 * precision * recall, precision + recall)

    def _share(self, part: Floats, whole: Floats) -> Floats:
        bottom = np.asarray(whole + self.epsilon)
        result = np.full(np.shape(bottom), self.empty)
        np.divide(part, bottom, out=result, where=bottom != 0)
        return result


class Weighted(Columns):
    """A weighted sum of other scores over the same items."""

    def __init__(
        self, name: str, parts: Sequence[tuple[float, Metric[Any]]], formula: str, *, source: str = ""
    ) -> None:
        self.name, self.parts, self.formula, self.source = name, tuple(parts), formula, source
        self.columns = tuple(dict.fromkeys(column for _, part in self.parts for column in part.columns))

    def total(self, sums: Floats) -> Floats:
        """Return the sum of weight times score."""
        result = np.zeros(np.shape(sums)[:-1])
        for weight, part in self.parts:
            result = result + weight * part.total(sums[..., [self.columns.index(name) for name in part.columns]])
        return result


def gather(
    columns: Sequence[str],
    ids: Sequence[str],
    counted: Sequence[Mapping[str, float]],
    groups: Sequence[str] | None = None,
) -> Counts:
    """Return counts of all `columns`, 0 where an item has none; `groups` are the dialogues of the items.

    Raises `ValueError` as `Counts` does.
    """
    array = np.array([[one.get(name, 0.0) for name in columns] for one in counted], dtype=np.float64)
    return Counts(tuple(ids), tuple(columns), array.reshape(len(ids), len(columns)), tuple(groups) if groups else None)
