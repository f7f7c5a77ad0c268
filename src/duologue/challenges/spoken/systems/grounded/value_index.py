"""Inverted index from values to entities: retrieves the subjects whose values a text mentions.

Character 4-grams of all values in sorted arrays: half a million values take seconds to index, a query a millisecond.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.spoken.systems.grounded.normalization import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from duologue.core.records import Fact

_PIECE = 4
_LONGEST = 120  # characters of a value that are indexed
_COMMON = 400  # values beyond which an n-gram is ignored
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class ValueIndex:
    """Retrieves subjects by the values that a text mentions."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._subjects: list[str] = []
        values: list[str] = []
        for fact in facts:
            value = fold(str(fact.object))[:_LONGEST]
            if len(value) >= _PIECE:
                self._subjects.append(fact.subject)
                values.append(value)
        pieces, rows = _pieces_of(values)
        order = np.argsort(pieces, kind="stable")
        self._pieces, self._rows = pieces[order], rows[order]
        self._sizes = np.bincount(rows, minlength=len(values)).astype(np.float32)

    def search(self, text: str, limit: int = 3) -> list[tuple[str, float]]:
        """Return up to `limit` subjects with the most similar values, best first, with the similarity (0 to 1).

        The similarity is the geometric mean of the shares of n-grams that value and text have in common. Where more
        than `limit` subjects are equally similar, none is returned.
        """
        folded = fold(text)
        if len(folded) < _PIECE or not len(self._pieces):
            return []
        asked = np.unique(_pieces_of([folded])[0])
        low = np.searchsorted(self._pieces, asked, side="left")
        high = np.searchsorted(self._pieces, asked, side="right")
        counts = high - low
        useful = (counts > 0) & (counts <= _COMMON)
        if not useful.any():
            return []
        rows = np.concatenate([self._rows[one:other] for one, other in zip(low[useful], high[useful], strict=True)])
        found, hits = np.unique(rows, return_counts=True)
        scores = hits / np.sqrt(self._sizes[found] * len(asked))
        least = np.sort(scores)[-8 * limit :][0]
        best: dict[str, float] = {}
        for at in np.flatnonzero(scores >= least).tolist():
            subject, score = self._subjects[int(found[at])], round(float(scores[at]), 6)
            best[subject] = max(score, best.get(subject, 0.0))
        ordered = sorted(best.items(), key=lambda entry: (-entry[1], entry[0]))
        if len(ordered) > limit and ordered[limit][1] == ordered[0][1]:
            return []
        return ordered[:limit]


def _pieces_of(values: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return the hashes of all n-grams of all values, and for each the index of its value."""
    lengths = np.array([len(value) for value in values], dtype=np.int64)
    codes = np.frombuffer("".join(values).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    rows = np.repeat(np.arange(len(values), dtype=np.int32), lengths)
    if len(codes) < _PIECE:
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int32)
    size = len(codes) - _PIECE + 1
    hashed = np.zeros(size, dtype=np.uint64)
    for at in range(_PIECE):
        hashed = (hashed ^ codes[at : at + size]) * _FACTOR  # wraps around, as a hash should
    inside = rows[:size] == rows[_PIECE - 1 :]
    return hashed[inside], rows[:size][inside]
