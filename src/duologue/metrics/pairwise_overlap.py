"""Multiset overlap of each pair among many short texts: what agreement of candidates (MBR decoding) is made of.

A text is a bag of keys. Keys are numbers: code points of characters, numbers of words, or pairs of these (bigrams).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.metrics.lexicon import code_points

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Integers = NDArray[np.int64]

_BITS = 21  # of a code point, of the number of a token, and of how often a text has it
_SMALL = 1 << 20


class KeyedTexts(NamedTuple):
    """Texts as keys, one after another."""

    n: int
    """Number of texts."""
    rows: Integers
    """The text of each key, ascending."""
    keys: Integers

    @classmethod
    def of_characters(cls, texts: Sequence[str]) -> KeyedTexts:
        """Return the characters of texts."""
        rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        return cls(len(texts), rows, code_points("".join(texts)).astype(np.int64))

    @classmethod
    def of_tokens(cls, texts: Sequence[Iterable[Hashable]]) -> KeyedTexts:
        """Return the tokens of texts, numbered by their first appearance."""
        numbers: dict[Hashable, int] = {}
        keys = [[numbers.setdefault(token, len(numbers)) for token in text] for text in texts]
        rows = np.repeat(np.arange(len(texts)), [len(one) for one in keys])
        return cls(len(texts), rows, np.array([key for one in keys for key in one], dtype=np.int64))

    @property
    def sizes(self) -> Floats:
        """Number of keys of each text, (n,)."""
        return np.bincount(self.rows, minlength=self.n).astype(np.float32)

    @property
    def bigrams(self) -> KeyedTexts:
        """The pairs of neighbours, none across two texts; of single characters or tokens only."""
        inside = self.rows[:-1] == self.rows[1:]
        pairs = (self.keys[:-1] << _BITS) | self.keys[1:]
        return KeyedTexts(self.n, self.rows[:-1][inside], pairs[inside])

    def table(self) -> Floats:
        """Return the texts as rows of zeros and ones, (n, columns): the k-th occurrence of a key is a column."""
        order = np.lexsort((self.keys, self.rows))
        keys, rows = self.keys[order], self.rows[order]
        fresh = np.ones(len(keys), dtype=bool)
        fresh[1:] = (keys[1:] != keys[:-1]) | (rows[1:] != rows[:-1])
        places = np.arange(len(keys))
        times = places - np.maximum.accumulate(np.where(fresh, places, 0))
        columns = np.unique((keys << _BITS) | times, return_inverse=True)[1]
        table = np.zeros((self.n, int(columns.max(initial=0)) + 1), dtype=np.float32)
        table[rows, columns] = 1.0
        return table

    def overlaps(self, first: int | None = None) -> Floats:
        """Return the size of the intersection of each pair of texts, repeats counted, (n, n).

        With `first`, so many are compared with the others alone, (first, n - first).

        >>> KeyedTexts.of_characters(["aab", "abb", "c"]).overlaps().tolist()
        [[3.0, 2.0, 0.0], [2.0, 3.0, 0.0], [0.0, 0.0, 1.0]]
        """
        table = self.table()
        left, right = table[:first], table[first or 0 :]
        if left.size > _SMALL:
            return left @ right.T
        shared: Floats = np.einsum("ik,jk->ij", left, right)  # `@` would split so small a product among waiting threads
        return shared
