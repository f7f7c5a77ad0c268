"""How many new words a reply brings into a set of replies: what DISTINCT counts, made additive.

DISTINCT divides the different words of a set of replies by all its words, so a word counts where no other reply says
it. A word that stands in a share s of people's replies is missing in n others with probability (1 - s)^n, which is
about exp(-n s); the sum over a reply's words is how many new ones it brings.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from duologue.core.records import Record
from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_OTHERS = 2_000  # replies of the imagined set; about those of 500 dialogues
_OPENINGS = 500  # first turns among them


class Spoken(Record, frozen=True, kw_only=True):
    """What people said: in how many replies each word stands."""

    replies: int
    words: dict[str, int]


def spoken(replies: Iterable[Sequence[str]]) -> Spoken:
    """Count the words of replies, each once per reply; words in the order of their frequency, then of themselves."""
    total = 0
    counts: Counter[str] = Counter()
    for words in replies:
        total += 1
        counts.update(set(words))
    return Spoken(replies=total, words=dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))))


class Variety:
    """Tells how many new words a reply brings; first turns are compared with first turns."""

    def __init__(self, every: Spoken, openings: Spoken) -> None:
        """Take the words of all replies, and of first turns."""
        self.every, self.openings = every, openings
        self._every, self._first = _chances(every, _OTHERS), _chances(openings, _OPENINGS)

    def new_words(self, words: Sequence[str], *, opening: bool) -> float:
        """Return the expected number of words of a reply that no other reply of the set says."""
        chances = self._first if opening else self._every
        return added(chances.get(word, 1.0) for word in words)


def _chances(heard: Spoken, others: int) -> dict[str, float]:
    """Return for each word the probability that none of the others says it."""
    return {word: math.exp(-others * times / max(1, heard.replies)) for word, times in heard.words.items()}
