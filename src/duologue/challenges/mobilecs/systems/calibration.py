"""Calibration of probabilities on held-out data: temperature scaling (Guo et al. 2017), and which guesses to trust."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.metrics.softmax import log_softmax

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_TEMPERATURES = np.geomspace(0.25, 8.0, 61)
"""Those that are tried; 1 is the middle of their lower half."""


def softened(log_shares: Floats, temperature: float) -> Floats:
    """Return log probabilities (n, k) at another temperature; above 1 they are less sure of themselves."""
    return log_softmax(log_shares / np.float32(temperature))


def temperature_of(log_shares: Floats, labels: NDArray[np.int64]) -> float:
    """Return the temperature at which log probabilities (n, k) fit the labels (n,) best; labels below 0 do not count.

    Without any label it is 1.
    """
    known = labels >= 0
    if not known.any():
        return 1.0
    rows, right = log_shares[known], labels[known]
    each = np.arange(len(right))
    losses = [-float(softened(rows, one)[each, right].mean()) for one in _TEMPERATURES]
    return float(_TEMPERATURES[int(np.argmin(losses))])


class Guess(NamedTuple):
    """A guess about held-out data."""

    confidence: float
    right: bool


def trusted_share(guesses: Iterable[Guess], cost: float) -> float:
    """Return the share of the guesses, the most confident first, that gains most: 1 for a right one, less `cost` else.

    >>> trusted_share([Guess(0.9, True), Guess(0.8, True), Guess(0.6, False), Guess(0.5, False)], 1.0)
    0.5
    """
    ranked = sorted(guesses, key=lambda one: -one.confidence)
    if not ranked:
        return 0.0
    gains = np.cumsum([1.0 if one.right else -cost for one in ranked])
    best = int(gains.argmax())
    return (best + 1) / len(ranked) if gains[best] > 0 else 0.0


def balanced_levels(confidences: Sequence[tuple[int, float]], share: float) -> dict[int, float]:
    """Return for each class the confidence from which guesses of it are trusted: so that of each class the share is.

    `confidences` has the class and the confidence of each guess. Classes that are guessed with less confidence than
    others are thus not lost (class-balanced self-training, Zou et al. 2018).

    >>> balanced_levels([(0, 0.9), (0, 0.8), (1, 0.4), (1, 0.3)], 0.5)
    {0: 0.9, 1: 0.4}
    """
    by_class: dict[int, list[float]] = {}
    for kind, confidence in confidences:
        by_class.setdefault(kind, []).append(confidence)
    levels = {}
    for kind, some in sorted(by_class.items()):
        kept = round(share * len(some))
        if kept:
            levels[kind] = sorted(some, reverse=True)[kept - 1]
    return levels
