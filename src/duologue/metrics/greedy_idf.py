"""Greedy matching with idf weights: word by word as BERTScore matches, over a table of word vectors.

Zhang and others 2020, equations of section 3: each word takes the most similar word of the other text, precision and
recall weigh words by their inverse document frequency in the references, the score is their F1, the best reference
counts. Frequent words ("we", "please", "."), of which polite sentences are made, weigh little, so that a fixed sentence
scores low where embedding average and plain greedy matching let it pass. The vectors are static: a word has one in all
texts.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from duologue.metrics.formulas import Average
from duologue.metrics.word_vectors import unrounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.metrics.counts import Floats
    from duologue.metrics.word_vectors import Vectors

GREEDY_IDF = Average(
    "greedy-idf",
    "greedy-idf = mean of F1 of best cosines word by word, weighted by idf in the references",
    source="Zhang and others 2020 (BERTScore), with static word vectors",
)


class ReferenceIdf:
    """Inverse document frequencies of words, each reference a document: ln((references + 1) / (df + 1))."""

    def __init__(self) -> None:
        self._having: Counter[str] = Counter()
        self._documents = 0

    def add(self, references: Iterable[Sequence[str]]) -> None:
        """Count tokenized references."""
        for tokens in references:
            self._having.update(set(tokens))
            self._documents += 1

    def of(self, tokens: Sequence[str]) -> Floats:
        """Return the weights of tokens, (tokens,); that of a word which no reference has is the largest."""
        top = self._documents + 1
        return np.array([math.log(top / (self._having[token] + 1)) for token in tokens], dtype=np.float64)


class IdfMatching:
    """Scores replies by word vectors and the idf of the references of a whole set: one sample alone has 0."""

    def __init__(self, vectors: Vectors, idf: ReferenceIdf) -> None:
        self._vectors, self._idf = vectors, idf

    def f1(self, hypothesis: Sequence[str], references: Sequence[Sequence[str]]) -> float:
        """Return the F1 of a reply against its best reference; 0 where a side has no word of any weight."""
        said, weights = self._unit(hypothesis), self._idf.of(hypothesis)
        return max(_f1(said, weights, self._unit(one), self._idf.of(one)) for one in references)

    def _unit(self, tokens: Sequence[str]) -> Floats:
        rows = self._vectors.of(tokens)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        found: Floats = rows / np.where(lengths > 0, lengths, 1.0)
        return found


def _f1(said: Floats, said_weights: Floats, wanted: Floats, wanted_weights: Floats) -> float:
    if not said_weights.sum() or not wanted_weights.sum():
        return 0.0
    cosines = said @ wanted.T
    precision = float(unrounded(cosines.max(axis=1) @ said_weights / said_weights.sum()))
    recall = float(unrounded(cosines.max(axis=0) @ wanted_weights / wanted_weights.sum()))
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
