"""Minimum Bayes risk decoding: the candidate with the highest expected agreement with the other candidates.

Kumar and Byrne 2004, equation 2, with the loss 1 - agreement and the candidates themselves as the evidence. Agreement
is the F score of the sets of unigrams and bigrams.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from duologue.metrics.pairwise_overlap import KeyedTexts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def pairwise_agreement(texts: Sequence[Sequence[str]]) -> NDArray[np.float32]:
    """Return the n-gram F score of each pair of tokenized texts, (n, n); 1 on the diagonal.

    An empty text has 0 with every text, itself included.

    >>> pairwise_agreement([["we", "are", "here"], ["we", "are"], []]).round(2).tolist()
    [[1.0, 0.75, 0.0], [0.75, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    grams = KeyedTexts.of_tokens([{*words, *pairwise(words)} for words in texts])
    agreements: NDArray[np.float32] = 2 * grams.overlaps() / np.maximum(grams.sizes[:, None] + grams.sizes, 1)
    return agreements


def mbr_index(texts: Sequence[Sequence[str]], weights: Sequence[float]) -> int:
    """Return the index of the MBR candidate among tokenized texts; ties go to the first.

    Raises `ValueError` without candidates.
    """
    return most_agreed_index(pairwise_agreement(texts), weights)


def most_agreed_index(agreements: NDArray[np.float32], weights: Sequence[float]) -> int:
    """Return the index of the text with the highest weighted sum of agreements (n, n); ties go to the first.

    Raises `ValueError` without candidates.
    """
    if not len(agreements):
        raise ValueError("there is no text to choose")
    wanted = np.asarray(weights, dtype=np.float64)
    sums = agreements.astype(np.float64) @ (wanted / max(wanted.sum(), np.finfo(float).tiny))
    return int(np.argmax(sums.round(6)))
