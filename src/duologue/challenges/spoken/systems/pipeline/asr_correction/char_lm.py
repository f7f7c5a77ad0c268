"""Character n-gram language model with interpolated Kneser-Ney smoothing, in plain Python.

Kneser and Ney, ICASSP 1995; in the interpolated form of Chen and Goodman (1999), equation 26 with one discount per
order. Probabilities are kept as whole thousandths of a natural logarithm, so that a saved model is small and the same
everywhere.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

START, END = "\x02", "\x03"
"""Boundary symbols before and after an utterance."""

_UNIT = 1000
_UNSEEN = 8000
"""Characters that share the probability mass of unseen ones."""


class CharLanguageModel(Record, frozen=True, kw_only=True):
    """An n-gram model; log probabilities in thousandths of a natural logarithm."""

    order: int
    logs: dict[str, int]
    """By seen n-gram: ln P of its last character after the others."""
    backs: dict[str, int]
    """By context: ln of its back-off weight."""
    unseen: int
    """ln P of an unseen character."""

    @classmethod
    def learn(cls, texts: Iterable[str], *, order: int = 4) -> CharLanguageModel:
        """Return the model of some texts; `order` is the length of the longest n-grams."""
        counts: list[Counter[str]] = [Counter() for _ in range(order)]
        for text in texts:
            padded = START + text + END
            for at in range(1, len(padded)):
                for length in range(min(order, at + 1)):
                    counts[length][padded[at - length : at + 1]] += 1
        for length in range(order - 1):  # a shorter n-gram counts the different characters before it
            before = Counter(gram[1:] for gram in counts[length + 1])
            counts[length] = Counter({gram: before[gram] or n for gram, n in counts[length].items()})
        logs: dict[str, float] = {}
        backs: dict[str, float] = {}
        for grams in counts:
            _smooth(grams, logs, backs)
        return cls(
            order=order,
            logs={gram: round(math.log(probability) * _UNIT) for gram, probability in logs.items()},
            backs={gram: round(math.log(weight) * _UNIT) for gram, weight in backs.items() if gram},
            unseen=round(math.log(backs.get("", 1.0) / _UNSEEN) * _UNIT),
        )

    def log(self, gram: str) -> int:
        """Return ln P of the last character after the others, in thousandths; at most `order` characters count."""
        logs, passed = self.logs, 0
        gram = gram[-self.order :]
        while gram:
            found = logs.get(gram)
            if found is not None:
                return passed + found
            passed += self.backs.get(gram[:-1], 0)
            gram = gram[1:]
        return passed + self.unseen

    def each(self, padded: str) -> list[int]:
        """Return ln P of each character of a text with its `START` and `END`, in thousandths; 0 for `START`."""
        width = self.order - 1
        return [0, *(self.log(padded[max(0, at - width) : at + 1]) for at in range(1, len(padded)))]


def _smooth(grams: Counter[str], logs: dict[str, float], backs: dict[str, float]) -> None:
    """Add the interpolated probabilities and back-off weights of one order to those of the orders below."""
    sizes = Counter(grams.values())
    # Chen and Goodman, equation 24: D = n1 / (n1 + 2 n2).
    discount = sizes[1] / (sizes[1] + 2 * sizes[2]) if sizes[1] and sizes[2] else 0.5
    totals: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for gram, n in grams.items():
        totals[gram[:-1]] += n
        kinds[gram[:-1]] += 1
    fresh = {context: discount * kinds[context] / total for context, total in totals.items()}
    for gram, n in grams.items():
        context = gram[:-1]
        lower = logs.get(gram[1:], 1 / _UNSEEN) if context else 1 / _UNSEEN
        logs[gram] = max(n - discount, 0.0) / totals[context] + fresh[context] * lower
    backs.update(fresh)
