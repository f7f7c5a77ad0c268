"""N-grams of one text, of its tokens or of its characters, and how many of two texts match.

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


def char_ngrams(text: str, least: int, longest: int) -> list[str]:
    """Return the character n-grams of a text for n from `least` to `longest`: the shorter ones first, each in order.

    >>> char_ngrams("abc", 1, 2)
    ['a', 'b', 'c', 'ab', 'bc']
    """
    return [text[at : at + n] for n in range(least, longest + 1) for at in range(len(text) - n + 1)]


def clipped(said: Iterable[Hashable], wanted: Iterable[Hashable]) -> int:
    """Return how many n-grams match, each counted at most as often as it is wanted.

    >>> clipped(["a", "a", "a"], ["a", "a", "b"])
    2
    """
    return (Counter(said) & Counter(wanted)).total()
