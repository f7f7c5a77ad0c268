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
    context: NDArray[np.float32] | None = None
    """(k,), what is known of the decision itself, behind the features of each candidate."""


class FeedForward(NamedTuple):
    """Layers of weights; a rectifier between two of them."""

    layers: tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]
    """Weights (in, out) and bias (out,) of each."""

    def scores(self, features: NDArray[np.float32], context: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return the scores of candidates, the first output of each: (c, f) -> (c,)."""
        scores: NDArray[np.float32] = self.outputs(features, context)[:, 0]
        return scores

    def outputs(self, features: NDArray[np.float32], context: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return the outputs of the last layer: (c, f) -> (c, o); `context` (k,) stands behind all features."""
        x = features
        for number, (weight, bias) in enumerate(self.layers):
            if number:
                x = np.maximum(x, 0) @ weight + bias
            elif context is None:
                x = x @ weight + bias
            else:
                x = x @ weight[: -len(context)] + (context @ weight[-len(context) :] + bias)
        return x
