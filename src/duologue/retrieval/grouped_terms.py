"""TF-IDF retrieval over weighted groups of terms, each group normalised on its own."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from duologue.core.sums import added
from duologue.retrieval.postings import Postings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Groups = Sequence[tuple[float, Sequence[str]]]
    """Terms by group, each group with its weight."""

_IDF_FLOOR = 0.3
"""Added to every IDF, so that a term of every row counts too."""


class GroupedTerms:
    """Index of rows of grouped terms; the similarity of two rows is at most the sum of the group weights."""

    def __init__(self, rows: Sequence[Groups]) -> None:
        document_counts = Counter(term for groups in rows for _, terms in groups for term in set(terms))
        self._idf = {term: math.log(len(rows) / (1 + times)) + _IDF_FLOOR for term, times in document_counts.items()}
        self._postings = Postings([list(self._vector(groups)) for groups in rows])

    def similarities(self, groups: Groups) -> NDArray[np.float64]:
        """Return the similarity of each row to a query, shape (rows,)."""
        return self._postings.sums(list(self._vector(groups)))

    def _vector(self, groups: Groups) -> Iterator[tuple[str, float]]:
        """Yield the terms with TF-IDF weights; the squares of a group sum to the group's weight."""
        for weight, terms in groups:
            counts = Counter(term for term in terms if term in self._idf)
            values = {term: math.sqrt(times) * self._idf[term] for term, times in counts.items()}
            norm = math.sqrt(added(value * value for value in values.values()))
            if norm > 0:
                yield from ((term, value / norm * math.sqrt(weight)) for term, value in sorted(values.items()))
