"""Inverted index of weighted terms: scores of the rows that share terms with a query.

Cosine, overlap and the like are such sums when weights are made accordingly. Only rows that have a term are touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Postings:
    """For each term the rows that have it, with weights."""

    def __init__(self, rows: Sequence[Sequence[tuple[str, float]]]) -> None:
        """Index rows, each given as its terms with their weights."""
        terms: dict[str, int] = {}
        triples = [
            (terms.setdefault(term, len(terms)), row, weight) for row, one in enumerate(rows) for term, weight in one
        ]
        triples.sort(key=lambda triple: triple[0])
        numbers = np.array([triple[0] for triple in triples], dtype=np.int64)
        self._terms = terms
        self._rows = np.array([triple[1] for triple in triples], dtype=np.int32)
        self._weights = np.array([triple[2] for triple in triples], dtype=np.float32)
        self._starts = np.searchsorted(numbers, np.arange(len(terms) + 1))
        self._size = len(rows)

    def sums(self, terms: Sequence[tuple[str, float]]) -> NDArray[np.float64]:
        """Return for each row (n,) the sum of products of its weights and those asked for."""
        rows, weights = [], []
        for term, weight in terms:
            number = self._terms.get(term)
            if number is not None:
                part = slice(self._starts[number], self._starts[number + 1])
                rows.append(self._rows[part])
                weights.append(self._weights[part] * np.float32(weight))
        if not rows:
            return np.zeros(self._size)
        every, values = np.concatenate(rows), np.concatenate(weights)
        return np.bincount(every, weights=values, minlength=self._size).astype(np.float64)
