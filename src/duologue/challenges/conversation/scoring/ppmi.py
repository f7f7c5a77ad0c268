"""Word vectors from a truncated SVD of positive pointwise mutual information (PPMI).

Levy, Goldberg and Dagan 2015: the PPMI matrix of pair counts, with context counts smoothed by the power 0.75 (equation
3), is factorised with the singular values split evenly between both sides (section 3.3). Pairs of neighbouring words
give word vectors; pairs of a context word and a reply word give a joint space of contexts and replies.

The SVD is a randomised subspace iteration (Halko, Martinsson and Tropp 2011, algorithm 4.4), which takes seconds on one
core. Shapes: V words, R dimensions.
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
"""Decimals of stored vectors, so that writing and reading is lossless."""
_PART = 1 << 23  # pairs counted at once: 64 MB
_SMOOTHING = 0.75
_ROUNDS = 4  # power iterations
_SPARE = 20  # oversampling


class PairVectors(NamedTuple):
    """Vectors of the words on either side of a pair."""

    left: Singles
    """(V, R)."""
    right: Singles
    """(V, R)."""


def word_ids(texts: Iterable[Iterable[str]], limit: int, least: int = 1) -> dict[str, int]:
    """Return ids of the `limit` most frequent words that occur at least `least` times, ties by code point."""
    counts = Counter(word for text in texts for word in text)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {word: number for number, (word, count) in enumerate(ordered[:limit]) if count >= least}


def count_pairs(parts: Iterable[Integers], size: int) -> Singles:
    """Return the counts of pairs, (size, size); pairs are encoded as a * size + b, in arrays of any length."""
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
    """Return the PPMI matrix of pair counts, (V, V); 0 for pairs that never occur."""
    lefts = counts.sum(axis=1, keepdims=True)  # (V, 1)
    rights = counts.sum(axis=0, keepdims=True) ** _SMOOTHING  # (1, V)
    with np.errstate(divide="ignore", invalid="ignore"):
        told = np.log(counts * (rights.sum() / (lefts * rights)))
    return np.where(counts > 0, np.maximum(told, 0), 0).astype(np.float32)


def truncated_svd(matrix: Singles, rank: int, seed: int = 0) -> PairVectors:
    """Return both sides' vectors from the `rank` largest singular values; fewer for a small matrix."""
    rank = min(rank, len(matrix))
    width = min(rank + _SPARE, len(matrix))
    basis = np.random.default_rng(seed).standard_normal((len(matrix), width)).astype(np.float32)
    for _ in range(_ROUNDS):
        basis = np.linalg.qr(matrix @ basis)[0]
        basis = np.linalg.qr(matrix.T @ basis)[0]  # (V, width)
    left, values, right = np.linalg.svd(matrix @ basis, full_matrices=False)
    shared = np.sqrt(values[:rank])
    return PairVectors(
        (left[:, :rank] * shared).astype(np.float32), ((basis @ right.T)[:, :rank] * shared).astype(np.float32)
    )


class WordVectors(NamedTuple):
    """Words and their vectors."""

    words: list[str]
    vectors: Singles
    """(V, R)."""

    def lines(self) -> Iterable[str]:
        """Yield lines of a text file: a word and its vector, separated by spaces."""
        for word, row in zip(self.words, self.vectors.tolist(), strict=True):
            yield " ".join((word, *(f"{number:.{DIGITS}f}" for number in row)))

    @classmethod
    def of_lines(cls, lines: Iterable[str]) -> WordVectors:
        """Parse such lines. Raises `ValueError` for malformed ones."""
        cells = [line.split(" ") for line in lines]
        return cls([word for word, *_ in cells], np.array([row for _, *row in cells], dtype=np.float32))


class MeanVectors:
    """Texts as L2-normalised weighted means of word vectors; unknown words get the mean of all vectors."""

    def __init__(self, table: WordVectors, weights: Mapping[str, float] | None = None, *, rare: float = 1.0) -> None:
        """`weights` are word weights, `rare` is that of words without one; all 1 by default."""
        self._rows = {word: row for row, word in enumerate(table.words)}
        self._vectors = np.vstack([table.vectors, table.vectors.mean(axis=0)])
        self._weights, self._rare = {} if weights is None else weights, rare

    def of(self, texts: Sequence[Sequence[str]]) -> Singles:
        """Return the vectors (N, R) of tokenized texts; zeros for empty ones."""
        unknown = len(self._rows)
        found = np.zeros((len(texts), self._vectors.shape[1]), dtype=np.float32)
        for place, text in enumerate(texts):
            if text:
                weights = np.array([self._weights.get(word, self._rare) for word in text], dtype=np.float32)
                found[place] = weights @ self._vectors[[self._rows.get(word, unknown) for word in text]]
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return (found / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def train_word_vectors(
    texts: Sequence[Sequence[str]], *, limit: int = 5000, rank: int = 100, reach: int = 4
) -> WordVectors:
    """Train vectors of the most frequent words from co-occurrences within a window of `reach` words."""
    numbers = word_ids(texts, limit)
    size = len(numbers)
    known = [np.array([numbers.get(word, -1) for word in text], dtype=np.int64) for text in texts]
    pairs = (_neighbours(text, step, size) for text in known for step in range(1, min(reach, len(text) - 1) + 1))
    counts = count_pairs(pairs, size)
    vectors = truncated_svd(ppmi_matrix(counts + counts.T), rank).left.round(DIGITS)
    return WordVectors(list(numbers), vectors)


def _neighbours(text: Integers, step: int, size: int) -> Integers:
    """Return the pair codes of words `step` apart; -1 is an out-of-vocabulary word."""
    first, second = text[:-step], text[step:]
    both = (first >= 0) & (second >= 0)
    codes: Integers = first[both] * size + second[both]
    return codes
