"""Vectors of words from what stands together in text: positive pointwise mutual information and its main directions.

Levy, Goldberg and Dagan 2015: of the counts n(a, b) of pairs the matrix max(0, ln n(a, b) N / (n(a) n(b))), the
right-hand counts smoothed by the power 0.75 (equation 3), is cut down to its largest singular values, each shared out
evenly to both sides (section 3.3). With neighbours as pairs this gives word vectors; with a word of a question and one
of its answer it gives two tables in which questions and answers that go together lie near each other.

The singular values are found by subspace iteration from a random start (Halko, Martinsson and Tropp 2011, algorithm
4.4), which takes seconds on one core. Letters: v words, r directions.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Singles = NDArray[np.float32]
    Integers = NDArray[np.int64]

DIGITS = 4
"""Of the numbers in a table: written and read again they are the same."""
_PART = 1 << 23  # pairs that are counted at once: 64 MB
_SMOOTHING = 0.75
_ROUNDS = 4  # of the subspace iteration
_SPARE = 20  # directions that are followed beside those wanted


class PairVectors(NamedTuple):
    """The vectors of words on either side of a pair."""

    left: Singles
    """(v, r)."""
    right: Singles
    """(v, r)."""


def word_ids(texts: Iterable[Iterable[str]], most: int, least: int = 1) -> dict[str, int]:
    """Return numbers of the most frequent words that occur `least` times, frequent ones first, ties by code point."""
    counts = Counter(word for text in texts for word in text)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {word: number for number, (word, count) in enumerate(ordered[:most]) if count >= least}


def count_pairs(parts: Iterable[Integers], size: int) -> Singles:
    """Return how often each pair occurs, (size, size); pairs come as codes a * size + b, in arrays of any length."""
    counts = np.zeros(size * size, dtype=np.float32)
    waiting: list[Integers] = []
    held = 0
    for part in parts:
        waiting.append(part)
        held += len(part)
        if held >= _PART:
            counts += np.bincount(np.concatenate(waiting), minlength=size * size)
            waiting, held = [], 0
    if held:
        counts += np.bincount(np.concatenate(waiting), minlength=size * size)
    return counts.reshape(size, size)


def ppmi_matrix(counts: Singles) -> Singles:
    """Return the positive pointwise mutual information of counted pairs, (v, v); what never occurred has none."""
    lefts = counts.sum(axis=1, keepdims=True)  # (v, 1)
    rights = counts.sum(axis=0, keepdims=True) ** _SMOOTHING  # (1, v)
    with np.errstate(divide="ignore", invalid="ignore"):
        told = np.log(counts * (rights.sum() / (lefts * rights)))
    return np.where(counts > 0, np.maximum(told, 0), 0).astype(np.float32)


def truncated_svd(matrix: Singles, rank: int, seed: int = 0) -> PairVectors:
    """Return both sides' vectors along the `rank` largest singular values; fewer where the matrix is small."""
    rank = min(rank, len(matrix))
    width = min(rank + _SPARE, len(matrix))
    basis = np.random.default_rng(seed).standard_normal((len(matrix), width)).astype(np.float32)
    for _ in range(_ROUNDS):
        basis = np.linalg.qr(matrix @ basis)[0]
        basis = np.linalg.qr(matrix.T @ basis)[0]  # (v, width)
    left, values, right = np.linalg.svd(matrix @ basis, full_matrices=False)
    shared = np.sqrt(values[:rank])
    return PairVectors(
        (left[:, :rank] * shared).astype(np.float32), ((basis @ right.T)[:, :rank] * shared).astype(np.float32)
    )


class WordVectors(NamedTuple):
    """Words with their vectors."""

    words: list[str]
    vectors: Singles
    """(v, r)."""

    def lines(self) -> Iterable[str]:
        """Yield the lines of a text table: a word and its numbers, cut by spaces."""
        for word, row in zip(self.words, self.vectors.tolist(), strict=True):
            yield " ".join((word, *(f"{number:.{DIGITS}f}" for number in row)))

    @classmethod
    def of_lines(cls, lines: Iterable[str]) -> WordVectors:
        """Return the table of such lines. Raises `ValueError` for lines that are none."""
        cells = [line.split(" ") for line in lines]
        return cls([word for word, *_ in cells], np.array([row for _, *row in cells], dtype=np.float32))


class MeanVectors:
    """Texts as the mean of the vectors of their words, set to length 1; an unknown word has the mean of all vectors."""

    def __init__(self, table: WordVectors, weights: Mapping[str, float] | None = None, *, rare: float = 1.0) -> None:
        """Weigh words by `weights`, those that are not there by `rare`; or all alike."""
        self._rows = {word: row for row, word in enumerate(table.words)}
        self._vectors = np.vstack([table.vectors, table.vectors.mean(axis=0)])
        self._weights, self._rare = {} if weights is None else weights, rare

    def of(self, texts: Sequence[Sequence[str]]) -> Singles:
        """Return the vectors (n, r) of texts, given as their words; zeros for one without words."""
        unknown = len(self._rows)
        found = np.zeros((len(texts), self._vectors.shape[1]), dtype=np.float32)
        for place, text in enumerate(texts):
            if text:
                weights = np.array([self._weights.get(word, self._rare) for word in text], dtype=np.float32)
                found[place] = weights @ self._vectors[[self._rows.get(word, unknown) for word in text]]
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return (found / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def train_word_vectors(
    texts: Sequence[Sequence[str]], *, most: int = 5000, rank: int = 100, reach: int = 4
) -> WordVectors:
    """Return vectors of the most frequent words, from neighbours up to `reach` words away in the same text."""
    numbers = word_ids(texts, most)
    size = len(numbers)
    known = [np.array([numbers.get(word, -1) for word in text], dtype=np.int64) for text in texts]
    pairs = (_neighbours(text, step, size) for text in known for step in range(1, min(reach, len(text) - 1) + 1))
    counts = count_pairs(pairs, size)
    vectors = truncated_svd(ppmi_matrix(counts + counts.T), rank).left.round(DIGITS)
    return WordVectors(list(numbers), vectors)


def _neighbours(text: Integers, step: int, size: int) -> Integers:
    """Return the codes of the words that stand `step` apart; -1 is a word without a number."""
    first, second = text[:-step], text[step:]
    both = (first >= 0) & (second >= 0)
    codes: Integers = first[both] * size + second[both]
    return codes
