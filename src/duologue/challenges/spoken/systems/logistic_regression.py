"""Logistic regression with a ridge penalty, fitted by Newton's method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RIDGE = 1.0
_LARGEST = 30.0
"""Scores beyond this count as this: the exponential stays finite."""


def sigmoid(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 / (1 + exp(-score))."""
    probabilities: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(scores, -_LARGEST, _LARGEST)))
    return probabilities


def fit(
    rows: NDArray[np.float64], labels: NDArray[np.float64], *, steps: int, tolerance: float = 0.0
) -> NDArray[np.float64]:
    """Return the weights (f,) for rows (n, f) and labels (n,) of 0 or 1.

    At most `steps` Newton steps are taken; a step whose largest change is below `tolerance` is the last.
    """
    weights = np.zeros(rows.shape[1])
    penalty = _RIDGE * np.eye(rows.shape[1])
    for _ in range(steps):
        probabilities = sigmoid(rows @ weights)
        gradient = rows.T @ (probabilities - labels) + _RIDGE * weights
        hessian = (rows * (probabilities * (1 - probabilities))[:, None]).T @ rows + penalty
        step = np.linalg.solve(hessian, gradient)
        weights = weights - step
        if float(np.abs(step).max()) < tolerance:
            break
    return weights
