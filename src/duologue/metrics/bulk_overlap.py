"""Bulk overlap counts for millions of answer-reference pairs: characters, words, n-grams and distinct n-grams.

The same numbers as `overlap`, `ngrams` and `diversity` give pair by pair, at a tenth of the cost. Words become
numbers (`lexicon`); a bigram is two numbers in one machine word, behind the number of its line. Sorted, equal ones
stand together, so that a block of lines is counted by a few passes over arrays.

Joined bigrams (`ab|c` = `a|bc`) are compared by a hash of the joined text that is never trusted: wherever it makes two
different bigrams equal, in a line or in the whole corpus, their texts are compared. So all counts are exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.metrics.lexicon import WORD_BITS, Lexicon, code_points
from duologue.metrics.ngrams import clipped, joined_ngrams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.metrics.lexicon import Hashes, Integers

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

_LINE_BITS = 10
_POINT_BITS = 21
_HASH_BITS = 64 - _LINE_BITS - 1
_SECOND = (1 << WORD_BITS) - 1
_LINES = 1 << _LINE_BITS
"""Pairs per block: their keys fit one machine word and stay in the cache."""
_ZERO = np.zeros(1, dtype=np.int64)
_KEPT = 1 << 20
"""So many bigrams are collected before repeated ones are thrown away, and so many are hashed at once."""


class PairCounter:
    """Counts pairs of texts block by block and remembers what all answers together hold.

    Words are cut at single spaces. With `empty_words` as `str.split(" ")` cuts: a double space makes an empty word,
    an empty text is one. Without, words are never empty. What each answer holds is kept for up to `keep` pairs.
    """

    def __init__(self, *, empty_words: bool, keep: int = 0) -> None:
        self._empty_words = empty_words
        self._room = keep
        self._kept: tuple[list[Integers], list[Integers]] = ([], [])
        self._lexicon = Lexicon()
        self._words = np.zeros(1 << 12, dtype=bool)
        self._bigrams: list[Integers] = []
        self._held = 0

    def add(self, said: Sequence[str], wanted: Sequence[str]) -> Integers:
        """Return the counts of pairs of texts, shape (pairs, columns).

        Raises `ValueError` for a text with a line feed, and for sides of different length.
        """
        if len(said) != len(wanted):
            raise ValueError(f"{len(said)} answers are given for {len(wanted)} references")
        counts = np.zeros((len(said), len(COLUMNS)), dtype=np.int64)
        self._room -= len(said)
        if self._room < 0:
            self._kept = ([], [])
        for start in range(0, len(said), _LINES):
            here = slice(start, start + _LINES)
            self._count(said[here], wanted[here], counts[here])
        return counts

    def different_words(self) -> int:
        """Return how many different words all answers hold."""
        return int(np.count_nonzero(self._words))

    def different_bigrams(self, *, joined: bool) -> int:
        """Return how many different bigrams all answers hold; with `joined`, equal when written together."""
        self._merge()
        bigrams = self._bigrams[0] if self._bigrams else np.zeros(0, dtype=np.int64)
        return len(bigrams) - (self._alike(bigrams) if joined else 0)

    def said(self, n: int, *, joined: bool = False) -> Integers:
        """Return all words (`n` 1) or bigrams (2) said as numbers, in their order: equal ones have equal numbers.

        With `joined`, bigrams are equal when written together. Raises `ValueError` when there were more pairs than
        are kept.
        """
        if self._room < 0:
            raise ValueError("there were more pairs than are kept")
        codes = np.concatenate([*self._kept[n - 1], _ZERO[:0]])
        if n == 1:
            return codes
        self._merge()
        alike = self._same_hash(self._bigrams[0]) if self._bigrams and joined else codes[:0]
        if len(alike):
            first: dict[str, int] = {}
            same = np.array([first.setdefault(self._text(code), code) for code in alike.tolist()])
            place = np.searchsorted(alike, codes).clip(max=len(alike) - 1)
            codes = np.where(alike[place] == codes, same[place], codes)
        return (codes >> WORD_BITS) * len(self._lexicon.words) + (codes & _SECOND)  # as small as can be

    def _count(self, said: Sequence[str], wanted: Sequence[str], counts: Integers) -> None:
        """Fill the counts of one block."""
        block = self._cut(said, wanted)
        lines = len(said)
        side = block.line >= lines
        where = block.line - lines * side
        self._remember_words(block.number[~side])
        if self._room >= 0:
            self._kept[0].append(block.number[~side])
        sizes = np.bincount(block.line, minlength=2 * lines)
        counts[:, 0], _ = _matches(block.characters, _POINT_BITS, lines)
        counts[:, 1], counts[:, 2] = block.sizes[:lines], block.sizes[lines:]
        counts[:, 3], counts[:, 4], counts[:, 6] = sizes[:lines], sizes[lines:], sizes[:lines]
        counts[:, 5], _ = _matches((where << (WORD_BITS + 1)) | (block.number << 1) | side, WORD_BITS, lines)
        counts[:, 7], counts[:, 8] = self._match_bigrams(block, where, side, said, wanted)
        counts[:, 9] = np.maximum(counts[:, 3] - 1, 0)

    def _cut(self, said: Sequence[str], wanted: Sequence[str]) -> _Block:
        text = "\n".join([*said, *wanted, ""])
        points = code_points(text)
        feed = points == 10
        gap = feed | (points == 32)
        ends = np.flatnonzero(gap)
        last = np.flatnonzero(feed)
        if len(last) != len(said) + len(wanted):
            raise ValueError("a text holds a line feed; the lines of a text are pairs of their own")
        line = np.cumsum(feed, dtype=np.uint32)  # of a feed itself this is the next line
        starts = np.concatenate([_ZERO, ends[:-1] + 1])
        lengths = ends - starts
        number = np.arange(len(last), dtype=np.uint32)
        heads = ((number % len(said)) << (_POINT_BITS + 1)) | (number >= len(said))
        inside = np.flatnonzero(~gap)
        characters = heads.astype(np.uint32)[line[inside]] | (points[inside] << np.uint32(1))
        words = np.searchsorted(ends, last)  # how many gaps before each feed
        sizes = np.diff(last, prepend=-1) - np.diff(words, prepend=-1)
        if not self._empty_words:
            kept = lengths > 0
            starts, lengths = starts[kept], lengths[kept]
        numbers = self._lexicon.numbers(text, points, starts, lengths)
        return _Block(characters, sizes, line[starts].astype(np.int64) - feed[starts], numbers)

    def _match_bigrams(
        self, block: _Block, where: Integers, side: NDArray[np.bool_], said: Sequence[str], wanted: Sequence[str]
    ) -> tuple[Integers, Integers]:
        """Return matches of bigrams per pair, with tuple and with joined keys; note those that are said."""
        inside = block.line[1:] == block.line[:-1]
        first, second, line, right = (
            part[inside] for part in (block.number[:-1], block.number[1:], where[1:], side[1:])
        )
        codes = (first << WORD_BITS) | second
        if self._room >= 0:
            self._kept[1].append(codes[~right])
        self._remember_bigrams(codes[~right])
        hits, kinds = _matches((line << (2 * WORD_BITS + 1)) | (codes << 1) | right, 2 * WORD_BITS, len(said))
        keys = self._lexicon.joined(first, second) >> np.uint64(64 - _HASH_BITS)
        keys |= line.astype(np.uint64) << np.uint64(_HASH_BITS)
        odd = kinds != _kinds(keys, len(said))  # lines in which two different bigrams have one hash
        if not odd.any():
            return hits, hits
        joined = hits.copy()
        chosen = odd[line]
        keys, codes, right = keys[chosen], codes[chosen], right[chosen]
        told = self._different_texts(keys, codes, len(said))
        found, _ = _matches((keys << np.uint64(1)) | right, _HASH_BITS, len(said))
        joined[odd] = found[odd]
        for at in np.flatnonzero(told).tolist():
            joined[at] = clipped(*(joined_ngrams(self._tokens(one[at]), 2) for one in (said, wanted)))
        return hits, joined

    def _tokens(self, text: str) -> list[str]:
        return [word for word in text.split(" ") if word or self._empty_words]

    def _different_texts(self, keys: Hashes, codes: Integers, lines: int) -> NDArray[np.bool_]:
        """Return for each line whether its hashes make different texts equal, which only looking can tell."""
        order = np.lexsort((codes, keys))
        keys, codes = keys[order], codes[order]
        told = np.zeros(lines, dtype=bool)
        for at in np.flatnonzero((keys[1:] == keys[:-1]) & (codes[1:] != codes[:-1])).tolist():
            if self._text(int(codes[at])) != self._text(int(codes[at + 1])):
                told[int(keys[at]) >> _HASH_BITS] = True
        return told

    def _text(self, code: int) -> str:
        return self._lexicon.words[code >> WORD_BITS] + self._lexicon.words[code & _SECOND]

    def _remember_words(self, numbers: Integers) -> None:
        while len(self._lexicon.words) > len(self._words):
            self._words = np.concatenate([self._words, np.zeros_like(self._words)])
        self._words[numbers] = True

    def _remember_bigrams(self, codes: Integers) -> None:
        codes.sort()
        self._bigrams.append(codes[_starts(codes)])
        self._held += len(self._bigrams[-1])
        if self._held > len(self._bigrams[0]) + max(_KEPT, len(self._bigrams[0]) // 4):
            self._merge()

    def _merge(self) -> None:
        """Make one sorted array of all bigrams so far, in place where it can be: there may be ten million."""
        if len(self._bigrams) > 1:
            bigrams = np.concatenate(self._bigrams)
            self._bigrams.clear()
            bigrams.sort()
            self._bigrams = [bigrams[_starts(bigrams)]]
            self._held = len(self._bigrams[0])

    def _alike(self, bigrams: Integers) -> int:
        """Return how many of the different bigrams vanish when they are written together."""
        texts = [self._text(code) for code in self._same_hash(bigrams).tolist()]
        return len(texts) - len(set(texts))

    def _same_hash(self, bigrams: Integers) -> Integers:
        """Return those of the different bigrams, sorted as they are, whose hash another has too."""
        hashes = np.empty(len(bigrams), dtype=np.uint64)
        for start in range(0, len(bigrams), _KEPT):
            hashes[start : start + _KEPT] = self._hash(bigrams[start : start + _KEPT])
        hashes.sort()
        twice = hashes[1:][hashes[1:] == hashes[:-1]]
        del hashes
        found = [bigrams[:0]]
        for start in range(0, len(bigrams) if len(twice) else 0, _KEPT):
            part = bigrams[start : start + _KEPT]
            found.append(part[np.isin(self._hash(part), twice)])
        return np.concatenate(found)

    def _hash(self, codes: Integers) -> Hashes:
        return self._lexicon.joined(codes >> WORD_BITS, codes & _SECOND)


class _Block(NamedTuple):
    """A block of texts, cut: first the answers, then the references."""

    characters: NDArray[np.uint32]
    """A key per character, without spaces."""
    sizes: Integers
    """How many characters each text has."""
    line: Integers
    """Per word the text it stands in; references go on counting where the answers end."""
    number: Integers
    """Per word its number in the lexicon."""


def _starts(ordered: NDArray[np.unsignedinteger] | Integers) -> NDArray[np.bool_]:
    """Return where a new value begins in a sorted array."""
    fresh = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return fresh


def _matches(keys: NDArray[np.unsignedinteger] | Integers, bits: int, lines: int) -> tuple[Integers, Integers]:
    """Return per line the size of the intersection of both sides as bags, and how many kinds of things it holds.

    A key is line, thing (so many bits) and side (one bit). The keys are sorted in place.
    """
    keys.sort()
    starts = np.flatnonzero(_starts(keys))
    times = np.diff(starts, append=len(keys))
    kinds = keys[starts]
    both = np.flatnonzero((kinds[:-1] | kinds.dtype.type(1)) == kinds[1:])  # said, and right behind it wanted
    shift = kinds.dtype.type(bits + 1)
    where = (kinds[both] >> shift).astype(np.int64)
    found = np.bincount(where, weights=np.minimum(times[both], times[both + 1]), minlength=lines)
    here = np.bincount((kinds >> shift).astype(np.int64), minlength=lines)
    return found.astype(np.int64), here - np.bincount(where, minlength=lines)


def _kinds(keys: Hashes, lines: int) -> Integers:
    """Return how many different keys each line holds; the line is their upper bits."""
    ordered = np.sort(keys)
    return np.bincount((ordered[_starts(ordered)] >> np.uint64(_HASH_BITS)).astype(np.int64), minlength=lines)
