"""Lexical novelty of a reply: the expected number of words it adds to a set of replies, an additive form of DISTINCT.

DISTINCT is distinct words by all words of a set of replies, so a word counts if no other reply has it. A word that
occurs in a fraction s of human replies is missing in n others with probability (1 - s)^n, about exp(-n s); the sum over
the words of a reply is its novelty.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from duologue.core.records import Record
from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_OTHERS = 2_000  # replies of the assumed set, about 500 dialogues
_OPENINGS = 500  # first turns among them


class WordFrequencies(Record, frozen=True, kw_only=True):
    """Document frequencies of words in human replies."""

    replies: int
    words: dict[str, int]


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

    def __init__(self, every: WordFrequencies, openings: WordFrequencies) -> None:
        """Set the word frequencies of all replies and of first turns."""
        self.every, self.openings = every, openings
        self._every, self._first = _novelty_of_words(every, _OTHERS), _novelty_of_words(openings, _OPENINGS)

    def new_words(self, words: Sequence[str], *, opening: bool) -> float:
        """Return the expected number of words of a reply that no other reply of the set has."""
        chances = self._first if opening else self._every
        return added(chances.get(word, 1.0) for word in words)


def _novelty_of_words(frequencies: WordFrequencies, others: int) -> dict[str, float]:
    """Return word -> probability that no other reply has it."""
    return {word: math.exp(-others * times / max(1, frequencies.replies)) for word, times in frequencies.words.items()}
