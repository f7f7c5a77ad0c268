"""Counts of very many answer-reference pairs at once: characters, words, bigrams, and what is different among them.

The same numbers as `overlap`, `ngrams` and `diversity` give pair by pair, at a tenth of the cost. Words become
numbers through one dictionary; a bigram is two numbers in one machine word, behind the number of its line. Sorted,
equal ones stand together, so that a block of lines is counted by a few passes over arrays.

Joined bigrams (`ab|c` = `a|bc`) are compared by a hash of the joined text, never trusted alone: a line in which
the hash makes two different bigrams equal, and every such pair among the bigrams of the whole corpus, is looked at
again as text. So all counts are exact.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from duologue.metrics.ngrams import clipped, joined_ngrams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Words = NDArray[np.uint64]

COLUMNS = (
    "chars hit",
    "chars said",
    "chars wanted",
    "words said",
    "words wanted",
    "1-grams hit",
    "1-grams said",
    "2-grams hit",
    "2-grams joined hit",
    "2-grams said",
)
"""What is counted per pair, in this order."""

_LINES = 1 << 10
"""Pairs per block: their keys stay in the cache."""
_CHARACTER, _WORD, _SIDE = 21, 26, 1
"""Bits of a key: a code point, the number of a word, said or wanted. A line takes ten more."""
_BASE = 0x9E3779B97F4A7C15
_PIECE = 1 << 10
"""Longer words are hashed piece by piece, so that the table of powers stays small."""
_KEPT = 1 << 21
"""So many bigrams are collected before repeated ones are thrown away again."""
_MASK = (1 << 64) - 1


class _Lexicon(dict[str, int]):
    """Numbers words in the order of their first appearance, and keeps of each what joined texts are compared by."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._powers = np.array([pow(_BASE, at, 1 << 64) for at in range(_PIECE + 1)], dtype=np.uint64)
        self._hashes = np.zeros(1 << 12, dtype=np.uint64)
        self._shifts = np.ones(1 << 12, dtype=np.uint64)
        self._ready = 0

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self.words)
        self.words.append(word)
        if number >= 1 << _WORD:
            raise OverflowError(f"more than {1 << _WORD:,} different words cannot be counted")
        return number

    def numbers(self, tokens: Sequence[str]) -> Integers:
        """Return the number of each token."""
        return np.fromiter(map(self.__getitem__, tokens), dtype=np.int64, count=len(tokens))

    def joined(self, first: Integers, second: Integers) -> Words:
        """Return hashes of the texts that pairs of words make, written together."""
        self._prepare()
        return self._hashes[first] * self._shifts[second] + self._hashes[second]

    def _prepare(self) -> None:
        fresh = self.words[self._ready :]
        if not fresh:
            return
        while len(self.words) > len(self._hashes):
            self._hashes = np.concatenate([self._hashes, np.zeros_like(self._hashes)])
            self._shifts = np.concatenate([self._shifts, np.ones_like(self._shifts)])
        here = slice(self._ready, len(self.words))
        self._hashes[here], self._shifts[here] = self._short([word if len(word) <= _PIECE else "" for word in fresh])
        for at, word in enumerate(fresh, start=self._ready):
            if len(word) > _PIECE:
                self._hashes[at], self._shifts[at] = self._long(word)
        self._ready = len(self.words)

    def _short(self, words: list[str]) -> tuple[Words, Words]:
        lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        ends = np.cumsum(lengths)
        points = _points("".join(words)).astype(np.uint64)
        back = np.repeat(ends, lengths) - 1 - np.arange(len(points))
        total = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum((points + np.uint64(1)) * self._powers[back])])
        return total[ends] - total[ends - lengths], self._powers[lengths]

    def _long(self, word: str) -> tuple[int, int]:
        value, shift = 0, 1
        for start in range(0, len(word), _PIECE):
            hashes, shifts = self._short([word[start : start + _PIECE]])
            value = (value * int(shifts[0]) + int(hashes[0])) & _MASK
            shift = shift * int(shifts[0]) & _MASK
        return value, shift


class PairCounter:
    """Counts pairs block by block and remembers what all answers together hold.

    `add` gives the counts of its pairs; what is different over the whole corpus is known at any time.
    """

    def __init__(self) -> None:
        self._lexicon = _Lexicon()
        self._said = np.zeros(1 << 12, dtype=bool)
        self._pairs: list[Words] = []
        self._held = 0

    def add(self, said: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]) -> Integers:
        """Return the counts of pairs of token sequences, shape (pairs, columns)."""
        parts = [
            self._block(said[start : start + _LINES], wanted[start : start + _LINES])
            for start in range(0, len(said), _LINES)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, len(COLUMNS)), dtype=np.int64)

    def different_words(self) -> int:
        """Return how many different words all answers hold."""
        return int(np.count_nonzero(self._said))

    def different_bigrams(self, *, joined: bool) -> int:
        """Return how many different bigrams all answers hold; with `joined`, equal when written together."""
        self._merge()
        pairs = self._pairs[0] if self._pairs else np.zeros(0, dtype=np.uint64)
        return len(pairs) - (self._alike(pairs) if joined else 0)

    def _block(self, said: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]) -> Integers:
        counts = np.zeros((len(said), len(COLUMNS)), dtype=np.int64)
        counts[:, 0:3] = _characters(said, wanted)
        sizes = [np.fromiter(map(len, side), dtype=np.int64, count=len(side)) for side in (said, wanted)]
        numbers = [self._lexicon.numbers(list(chain.from_iterable(side))) for side in (said, wanted)]
        lines = [np.repeat(np.arange(len(size)), size) for size in sizes]
        self._remember_words(numbers[0])
        keys = [
            (line << (_WORD + _SIDE)) | (number << _SIDE) | side
            for side, (line, number) in enumerate(zip(lines, numbers, strict=True))
        ]
        counts[:, 3], counts[:, 4], counts[:, 6] = sizes[0], sizes[1], sizes[0]
        counts[:, 5], _ = _matches(np.concatenate(keys), _WORD, len(said))
        counts[:, 7], counts[:, 8] = self._bigrams(said, wanted, numbers, lines)
        counts[:, 9] = np.maximum(sizes[0] - 1, 0)
        return counts

    def _bigrams(
        self,
        said: Sequence[Sequence[str]],
        wanted: Sequence[Sequence[str]],
        numbers: list[Integers],
        lines: list[Integers],
    ) -> tuple[Integers, Integers]:
        """Return matches of bigrams per pair, with tuple and with joined keys; note those that are said."""
        keys, texts = [], []
        for side, (number, line) in enumerate(zip(numbers, lines, strict=True)):
            inside = line[1:] == line[:-1]
            first, second, where = number[:-1][inside], number[1:][inside], line[1:][inside]
            code = (first << _WORD) | second
            keys.append((where << (2 * _WORD + _SIDE)) | (code << _SIDE) | side)
            texts.append(
                (where.astype(np.uint64) << np.uint64(54)) | (self._lexicon.joined(first, second) >> np.uint64(10))
            )
            if side == 0:
                self._remember_pairs(code)
        hits, kinds = _matches(np.concatenate(keys), 2 * _WORD, len(said))
        joined = hits.copy()
        for at in np.flatnonzero(kinds != _kinds(np.concatenate(texts), len(said))).tolist():
            joined[at] = clipped(joined_ngrams(said[at], 2), joined_ngrams(wanted[at], 2))
        return hits, joined

    def _remember_words(self, numbers: Integers) -> None:
        while len(self._lexicon.words) > len(self._said):
            self._said = np.concatenate([self._said, np.zeros_like(self._said)])
        self._said[numbers] = True

    def _remember_pairs(self, codes: Integers) -> None:
        self._pairs.append(np.unique(codes.astype(np.uint64)))
        self._held += len(self._pairs[-1])
        if self._held > max(_KEPT, 2 * len(self._pairs[0])):
            self._merge()

    def _merge(self) -> None:
        """Make one sorted array of all bigrams so far, in place where it can be: there may be ten million."""
        if len(self._pairs) > 1:
            pairs = np.concatenate(self._pairs)
            self._pairs.clear()
            pairs.sort()
            self._pairs = [pairs[_starts(pairs)]]
            self._held = len(self._pairs[0])

    def _alike(self, pairs: Words) -> int:
        """Return how many of the different bigrams vanish when they are written together."""
        hashes = np.concatenate([self._hashes_of(part) for part in _parts(pairs)]) if len(pairs) else pairs
        hashes.sort()
        twice = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
        del hashes
        if not len(twice):
            return 0
        words = self._lexicon.words
        texts: Counter[str] = Counter()
        for part in _parts(pairs):
            for code in part[np.isin(self._hashes_of(part), twice)].tolist():
                texts[words[code >> _WORD] + words[code & ((1 << _WORD) - 1)]] += 1
        return texts.total() - len(texts)

    def _hashes_of(self, pairs: Words) -> Words:
        codes = pairs.astype(np.int64)
        return self._lexicon.joined(codes >> _WORD, codes & ((1 << _WORD) - 1))


def _parts(array: Words) -> list[Words]:
    return [array[start : start + _KEPT] for start in range(0, len(array), _KEPT)]


def _points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _characters(said: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]) -> Integers:
    """Return hits, characters said and wanted of each pair; characters of words only."""
    keys, sizes = [], []
    for side, tokens in enumerate((said, wanted)):
        texts = list(map("".join, tokens))
        size = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        line = np.repeat(np.arange(len(texts), dtype=np.uint32) << np.uint32(_CHARACTER + _SIDE), size)
        keys.append(line | (_points("".join(texts)) << np.uint32(_SIDE)) | np.uint32(side))
        sizes.append(size)
    hits, _ = _matches(np.concatenate(keys), _CHARACTER, len(said))
    return np.stack([hits, *sizes], axis=1)


def _starts(ordered: NDArray[np.unsignedinteger] | Integers) -> NDArray[np.bool_]:
    """Return where a new value begins in a sorted array."""
    fresh = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return fresh


def _matches(keys: NDArray[np.uint32] | Integers, bits: int, lines: int) -> tuple[Integers, Integers]:
    """Return per line the size of the intersection of both sides as bags, and how many kinds of things it holds.

    A key is line, thing (so many bits) and side (one bit). The keys are sorted in place.
    """
    keys.sort()
    things = keys >> keys.dtype.type(_SIDE)
    starts = np.flatnonzero(_starts(things))
    if not len(starts):
        return np.zeros(lines, dtype=np.int64), np.zeros(lines, dtype=np.int64)
    wanted = np.add.reduceat(keys & keys.dtype.type(1), starts, dtype=np.int64)
    both = np.diff(starts, append=len(keys))
    where = (things[starts] >> keys.dtype.type(bits)).astype(np.int64)
    hits = np.bincount(where, weights=np.minimum(wanted, both - wanted), minlength=lines).astype(np.int64)
    return hits, np.bincount(where, minlength=lines)


def _kinds(keys: Words, lines: int) -> Integers:
    """Return how many different keys each line holds; the line is their upper ten bits."""
    keys.sort()
    return np.bincount((keys[_starts(keys)] >> np.uint64(54)).astype(np.int64), minlength=lines)
