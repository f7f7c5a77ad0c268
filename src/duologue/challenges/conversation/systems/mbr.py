"""The text that agrees most with the others: minimum Bayes risk among texts that all might be said.

Kumar and Byrne 2004, equation 2, with the loss 1 - agreement and the texts themselves as the evidence: of texts with
probabilities p the one with the greatest sum over the others of p times its agreement with them is said. Agreement is
the F of the different words and pairs of neighbouring words. What only one text knows, such as a name that nobody
mentioned, agrees with nothing.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Gram = str | tuple[str, str]


def agreement(texts: Sequence[Sequence[str]]) -> NDArray[np.float32]:
    """Return how far each text (given as its words) agrees with each other, (n, n) from 0 to 1; 1 with itself.

    A text without words agrees with nothing, not even with itself.

    >>> agreement([["we", "are", "here"], ["we", "are"], []]).round(2).tolist()
    [[1.0, 0.75, 0.0], [0.75, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    grams: list[set[Gram]] = [{*words, *pairwise(words)} for words in texts]
    columns: dict[Gram, int] = {}
    places = [columns.setdefault(gram, len(columns)) for one in grams for gram in one]
    sizes = np.array([len(one) for one in grams], dtype=np.float32)
    has = np.zeros((len(texts), len(columns)), dtype=np.float32)
    has[np.repeat(np.arange(len(texts)), sizes.astype(int)), places] = 1
    both: NDArray[np.float32] = 2 * (has @ has.T) / np.maximum(sizes[:, None] + sizes, 1)
    return both


def most_agreed(texts: Sequence[Sequence[str]], weights: Sequence[float]) -> int:
    """Return the place of the text, given as its words, with which the others agree most; of equals the first.

    Raises `ValueError` where there is none.
    """
    return best_by(agreement(texts), weights)


def best_by(agreements: NDArray[np.float32], weights: Sequence[float]) -> int:
    """Return the place of the text with the greatest sum of its agreements (n, n), weighted; of equals the first.

    Raises `ValueError` where there is none.
    """
    if not len(agreements):
        raise ValueError("there is no text to choose")
    wanted = np.asarray(weights, dtype=np.float64)
    sums = agreements.astype(np.float64) @ (wanted / max(wanted.sum(), np.finfo(float).tiny))
    return int(np.argmax(sums.round(6)))
