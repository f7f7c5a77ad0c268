"""Lexical novelty of a reply: the expected number of words it adds to a set of replies, an additive form of DISTINCT.

DISTINCT is distinct words by all words of a set of replies, so a word counts if no other reply has it. A word that
occurs in a fraction s of human replies is missing in n others with probability (1 - s)^n, about exp(-n s); the sum over
the words of a reply is its novelty.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from duologue.core.records import Record
from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_OTHERS = 2_000  # replies of the assumed set, about 500 dialogues
_OPENINGS = 500  # first turns among them
_PEOPLE = 0.25  # share of people in what a planner is expected to say: it was seen to answer few samples
_WORD, _PAIR = 0.11, 0.31  # DISTINCT-1 and DISTINCT-2 of such a set, about what is reached: what a word, a pair costs
_OF_PAIRS = 0.09  # weight of pairs of words beside words


class WordFrequencies(Record, frozen=True, kw_only=True):
    """Document frequencies of words in human replies."""

    replies: int
    words: dict[str, int]


class OwnWords(Record, frozen=True, kw_only=True):
    """What a planner itself says."""

    words: WordFrequencies
    pairs: WordFrequencies
    """Of pairs of words, joined as DISTINCT-2 joins them."""

    @classmethod
    def of(cls, replies: Sequence[Sequence[str]]) -> OwnWords:
        """Count words and pairs in replies of a planner."""
        return cls(words=word_frequencies(replies), pairs=word_frequencies(map(_pairs, replies)))


def word_frequencies(replies: Iterable[Sequence[str]]) -> WordFrequencies:
    """Count in how many replies each word occurs; ordered by frequency, then by word."""
    total = 0
    counts: Counter[str] = Counter()
    for words in replies:
        total += 1
        counts.update(set(words))
    return WordFrequencies(replies=total, words=dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))))


class Variety:
    """Estimates the lexical novelty of replies; first turns are compared with first turns only."""

    def __init__(self, every: WordFrequencies, openings: WordFrequencies, own: OwnWords | None = None) -> None:
        """Set the word frequencies of all replies and of first turns, and of what the planner itself says."""
        self.every, self.openings, self.own = every, openings, own
        self._own = {} if own is None else _novelty_of_own(own.words, every)
        self._own_pairs = {} if own is None else _novelty_of_own(own.pairs)
        self._every, self._first = _novelty_of_words(every, _OTHERS), _novelty_of_words(openings, _OPENINGS)

    def new_words(self, words: Sequence[str], *, opening: bool) -> float:
        """Return the expected number of words of a reply that no other reply of the set has."""
        chances = self._first if opening else self._every
        return added(chances.get(word, 1.0) for word in words)

    def new_to_own(self, words: Sequence[str]) -> float:
        """Return the expected number of words that no other reply of the planner has, less what words cost in DISTINCT.

        Pairs of words count besides. Nothing is new where it is not known what the planner says.
        """
        if self.own is None:
            return 0.0
        fresh = added(self._own.get(word, 1.0) - _WORD for word in words)
        return fresh + _OF_PAIRS * added(self._own_pairs.get(pair, 1.0) - _PAIR for pair in _pairs(words))


def _pairs(words: Sequence[str]) -> list[str]:
    return [first + second for first, second in pairwise(words)]


def _novelty_of_own(own: WordFrequencies, people: WordFrequencies | None = None) -> dict[str, float]:
    """Return word -> probability that no other reply of a planner has it, of all words that it or people say."""
    shares = {word: (1 - _PEOPLE) * times / max(1, own.replies) for word, times in own.words.items()}
    if people is not None:
        for word, times in people.words.items():
            shares[word] = shares.get(word, 0.0) + _PEOPLE * times / max(1, people.replies)
    return {word: math.exp(-_OTHERS * share) for word, share in shares.items()}


def _novelty_of_words(frequencies: WordFrequencies, others: int) -> dict[str, float]:
    """Return word -> probability that no other reply has it."""
    return {word: math.exp(-others * times / max(1, frequencies.replies)) for word, times in frequencies.words.items()}
