"""N-grams of one text, and how many of two texts match.

The key of an n-gram is a choice that scores depend on, so it has a name: `tuple` keeps the n tokens apart, `joined`
writes them together as some published scripts do, so that `ab|c` and `a|bc` are the same bigram.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

Key = Literal["tuple", "joined"]


def ngrams(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """Return the n-grams of tokens in order, as tuples.

    >>> ngrams(["a", "b", "c"], 2)
    [('a', 'b'), ('b', 'c')]
    """
    return list(zip(*(tokens[start:] for start in range(n)), strict=False))


def joined_ngrams(tokens: Sequence[str], n: int) -> list[str]:
    """Return the n-grams of tokens in order, each written together without a separator.

    >>> joined_ngrams(["a", "b", "c"], 2)
    ['ab', 'bc']
    """
    return ["".join(gram) for gram in ngrams(tokens, n)]


def clipped(said: Iterable[Hashable], wanted: Iterable[Hashable]) -> int:
    """Return how many n-grams match, each counted at most as often as it is wanted.

    >>> clipped(["a", "a", "a"], ["a", "a", "b"])
    2
    """
    return (Counter(said) & Counter(wanted)).total()
