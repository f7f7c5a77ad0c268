"""Metrics that count per sample and then total; intervals and paired tests over the counts.

`bleu`, `f1` and `distinct` give one figure of plain texts in one line; they are fetched when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duologue.metrics.texts import bleu, distinct, f1

__all__ = ["bleu", "distinct", "f1"]


def __getattr__(name: str) -> object:
    """Fetch a metric of plain texts."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from duologue.metrics import texts

    return getattr(texts, name)


def __dir__() -> list[str]:
    """Return the metrics of plain texts, which a notebook completes."""
    return sorted(__all__)
