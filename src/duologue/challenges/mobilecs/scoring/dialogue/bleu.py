"""Counts per turn for the corpus BLEU-4 over characters of track 2 (specification, 8.5); no numpy here."""

from __future__ import annotations

from collections import Counter

ORDERS = (1, 2, 3, 4)
_FARTHEST = 1000
"""If the lengths differ by this much, the official program takes it as the reference length."""

COLUMNS = (
    "bleu length",
    "bleu reference",
    *(f"bleu {part}-{order}" for order in ORDERS for part in ("clipped", "grams")),
)


def bleu_counts(reply: str, reference: str, *, capped: bool = True) -> dict[str, float]:
    """Return lengths and clipped n-gram counts of a reply, over characters without blanks.

    `capped` keeps the official reference length of 1,000 if the lengths differ by as much.
    """
    predicted, gold = "".join(reply.split()), "".join(reference.split())
    near = not capped or abs(len(gold) - len(predicted)) < _FARTHEST
    counted: dict[str, float] = {"bleu length": len(predicted), "bleu reference": len(gold) if near else _FARTHEST}
    for order in ORDERS:
        grams = Counter(predicted[place : place + order] for place in range(len(predicted) - order + 1))
        wanted = Counter(gold[place : place + order] for place in range(len(gold) - order + 1))
        counted[f"bleu grams-{order}"] = grams.total()
        counted[f"bleu clipped-{order}"] = sum(min(times, wanted[gram]) for gram, times in grams.items())
    return counted
