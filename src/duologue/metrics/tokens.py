"""Texts as integer arrays: tokens of a batch numbered by first occurrence, and their n-grams.

Equal tokens get equal numbers and nothing is hashed, so that counts made of them are exact.
"""

from __future__ import annotations

import sys
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


class Tokens(NamedTuple):
    """The tokens of several texts, one after the other."""

    numbers: Integers
    """Number of each token, (tokens,)."""
    texts: Integers
    """Which text each token belongs to, (tokens,)."""
    ends: Integers
    """Where the text of each token ends in `numbers`, exclusive, (tokens,)."""
    lengths: Integers
    """Tokens per text, (texts,)."""
    vocabulary: int
    """Numbers are below this."""


class Grams(NamedTuple):
    """The n-grams of one order in several texts."""

    order: int
    texts: Integers
    """Which text each n-gram stands in, (occurrences,)."""
    numbers: Integers
    """Number of each n-gram: equal n-grams of an order have equal numbers, (occurrences,)."""
    kinds: int
    """Numbers are below this."""
    made_of: Integers
    """Per number the n-gram: the number of its first n - 1 tokens times the vocabulary, plus its last token.

    For single tokens the number itself, (kinds,)."""


_BORDER = "\ud800"
"""Stands between texts while they are cut: half a surrogate pair, which no text that was decoded can hold."""


_ITSELF = f"{_BORDER} "
"""Stands for a token that is the border itself."""


_CHUNK = 1 << 13
"""Texts that are cut at once."""


def number_tokens(texts: Sequence[Sequence[str]]) -> Tokens:
    """Return the tokens of all texts as numbers."""
    numbers, kinds = _numbers(list(chain.from_iterable(texts)))
    return with_lengths(numbers, np.fromiter(map(len, texts), np.int64, len(texts)), kinds)


def number_texts(texts: Sequence[str], known: dict[str, int] | None = None) -> Tokens:
    """Return the tokens of all texts as numbers, cut at white space; faster than cutting text by text.

    Texts that come in portions get one numbering when each call is given the same `known`, empty at first; one more
    than the number of a token is kept there.

    >>> number_texts(["b  a", "", "a c"]).lengths.tolist()
    [2, 0, 2]
    """
    known = {} if known is None else known
    known.setdefault(_BORDER, 0)
    numbers, lengths = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for start in range(0, len(texts), _CHUNK):  # so that the words of a few texts at a time are held, not of all
        part = texts[start : start + _CHUNK]
        flat = [_BORDER, *f" {_BORDER} ".join(part).split(), _BORDER]
        if flat.count(_BORDER) != len(part) + 1:  # a text holds the border itself
            cut = [[_ITSELF if token == _BORDER else token for token in text.split()] for text in part]
            flat = [_BORDER, *chain.from_iterable([*tokens, _BORDER] for tokens in cut)]
        for token in dict.fromkeys(flat):
            known.setdefault(token, len(known))
        found = np.fromiter(map(known.__getitem__, flat), np.int64, len(flat))
        borders = np.flatnonzero(found == 0)
        numbers.append(found[found != 0] - 1)
        lengths.append(np.diff(borders) - 1)
    return with_lengths(np.concatenate(numbers), np.concatenate(lengths), len(known) - 1)


def number_characters(texts: Sequence[str]) -> Tokens:
    """Return the characters of all texts as numbers, their code points.

    >>> number_characters(["ab", "", "b"]).numbers.tolist()
    [97, 98, 98]
    """
    packed = "".join(texts).encode("utf-32-le", "surrogatepass")
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return with_lengths(np.frombuffer(packed, dtype="<u4").astype(np.int64), lengths, sys.maxunicode + 1)


def _numbers(flat: list[str]) -> tuple[Integers, int]:
    known = {token: number for number, token in enumerate(dict.fromkeys(flat))}
    return np.fromiter(map(known.__getitem__, flat), np.int64, len(flat)), len(known)


def with_lengths(numbers: Integers, lengths: Integers, vocabulary: int) -> Tokens:
    """Return tokens in a row with what follows from the lengths of their texts."""
    return Tokens(
        numbers=numbers,
        texts=np.repeat(np.arange(len(lengths)), lengths),
        ends=np.repeat(np.cumsum(lengths), lengths),
        lengths=lengths,
        vocabulary=max(vocabulary, 1),
    )


def number_grams(tokens: Tokens, orders: int) -> Iterator[Grams]:
    """Yield the n-grams of order 1, 2, ..., `orders`, in the order of the texts.

    >>> [grams.kinds for grams in number_grams(number_tokens([["a", "b", "a", "b"], ["b", "a"]]), 3)]
    [2, 2, 2]
    """
    numbers, kinds = tokens.numbers, tokens.vocabulary
    found = np.arange(kinds)
    starts = np.arange(len(numbers))
    for order in range(1, orders + 1):
        if order > 1:
            fits = starts + order <= tokens.ends[starts]
            starts, numbers = starts[fits], numbers[fits]
            keys = numbers * tokens.vocabulary + tokens.numbers[starts + order - 1]
            found, numbers = np.unique(keys, return_inverse=True)
            kinds = len(found)
        yield Grams(order, tokens.texts[starts], numbers, kinds, found)
