"""Feed-forward scorer in numpy: scores of a handful of candidates, without the cost of a call of torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CandidateList(NamedTuple):
    """Candidates of one decision."""

    features: NDArray[np.float32]
    """(c, f)"""
    right: NDArray[np.float32]
    """(c,), 1 where a candidate is right."""


class FeedForward(NamedTuple):
    """Layers of weights; a rectifier between two of them."""

    layers: tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]
    """Weights (in, out) and bias (out,) of each."""

    def scores(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the scores of candidates, the first output of each: (c, f) -> (c,)."""
        scores: NDArray[np.float32] = self.outputs(features)[:, 0]
        return scores

    def outputs(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the outputs of the last layer: (c, f) -> (c, o)."""
        x = features
        for number, (weight, bias) in enumerate(self.layers):
            if number:
                x = np.maximum(x, 0)
            x = x @ weight + bias
        return x
