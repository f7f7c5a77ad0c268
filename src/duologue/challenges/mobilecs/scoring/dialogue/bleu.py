"""Corpus BLEU-4 over characters as track 2 computes it: counts per turn (specification, 8.5); no numpy here."""

from __future__ import annotations

from collections import Counter

ORDERS = (1, 2, 3, 4)
_FARTHEST = 1000
"""Where lengths differ by so much or more, the official program takes this for the reference length."""

COLUMNS = (
    "bleu length",
    "bleu reference",
    *(f"bleu {part}-{order}" for order in ORDERS for part in ("clipped", "grams")),
)


def bleu_counts(reply: str, reference: str, *, capped: bool = True) -> dict[str, float]:
    """Return lengths and clipped n-gram counts of a reply, over characters without blanks.

    `capped` keeps the official reference length of 1,000 for lengths that are as far apart.
    """
    said, true = "".join(reply.split()), "".join(reference.split())
    near = not capped or abs(len(true) - len(said)) < _FARTHEST
    counted: dict[str, float] = {"bleu length": len(said), "bleu reference": len(true) if near else _FARTHEST}
    for order in ORDERS:
        grams = Counter(said[place : place + order] for place in range(len(said) - order + 1))
        wanted = Counter(true[place : place + order] for place in range(len(true) - order + 1))
        counted[f"bleu grams-{order}"] = grams.total()
        counted[f"bleu clipped-{order}"] = sum(min(times, wanted[gram]) for gram, times in grams.items())
    return counted
