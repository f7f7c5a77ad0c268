"""Softmax of numpy arrays, and its logarithm: scores as probabilities, without an overflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floating = TypeVar("Floating", np.float32, np.float64)


def softmax(
    scores: NDArray[Floating],
    temperature: float = 1.0,
    *,
    weights: NDArray[Floating] | None = None,
    axis: int | None = -1,
) -> NDArray[Floating]:
    """Return probabilities of the shape of `scores`, w exp(s / temperature), which sum to 1 along an axis.

    `weights` are 1 unless they are given, and not all 0; without an axis all entries sum to 1.

    >>> softmax(np.zeros(4)).tolist(), softmax(np.zeros(2), weights=np.array([3.0, 1.0])).tolist()
    ([0.25, 0.25, 0.25, 0.25], [0.75, 0.25])
    """
    powers: NDArray[Floating] = np.exp((scores - scores.max(axis=axis, keepdims=True)) / temperature)
    if weights is not None:
        powers = powers * weights
    probabilities: NDArray[Floating] = powers / powers.sum(axis=axis, keepdims=True)
    return probabilities


def log_softmax(scores: NDArray[Floating]) -> NDArray[Floating]:
    """Return log probabilities, normalised along the last axis.

    >>> log_softmax(np.zeros(2)).round(4).tolist()
    [-0.6931, -0.6931]
    """
    shifted = scores - scores.max(axis=-1, keepdims=True)
    normalised: NDArray[Floating] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return normalised
