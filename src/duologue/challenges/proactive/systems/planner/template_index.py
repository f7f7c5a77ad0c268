"""The bank: every agent turn of the training dialogues as a template, found again by the situation it was said in."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.proactive.systems import holdout
from duologue.challenges.proactive.systems.planner.slots import (
    PUNCTUATION,
    TOPICS,
    Filler,
    Filling,
    Slotter,
    Words,
    is_slot,
    plain,
)
from duologue.challenges.proactive.systems.planner.state import situation_of, terms_of
from duologue.core.records import Record
from duologue.core.sums import added
from duologue.knowledge.postings import Postings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.proactive.systems.planner.state import Situation
    from duologue.core.records import Example, Sample

_RARE = 15  # templates; a word of the source's knowledge that fewer of them say is taken for knowledge
_FOREIGN = re.compile(r"[0-9A-Za-z０-９]")
_BASE = 0.3  # weight of a term that stands everywhere


class Entry(Record, frozen=True, kw_only=True):
    """An agent turn of a training dialogue."""

    template: Words
    pair: str
    """The two topics in alphabetical order: what must not meet itself in training."""
    turn: int
    domains: str
    reached: tuple[bool, bool]
    groups: tuple[tuple[float, tuple[str, ...]], ...]
    """The terms of its situation, by groups with weights."""
    needs: tuple[str, ...] = ()
    """Words that are knowledge but no slot: numbers, foreign words, bits of facts. Said only where they are known."""

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots of the template, each once, parts left aside."""
        return tuple(dict.fromkeys(plain(word) for word in self.template if is_slot(word)))

    @property
    def rest(self) -> list[str]:
        """The words that are neither slots nor punctuation."""
        return [word for word in self.template if not is_slot(word) and word not in PUNCTUATION]


class Found(Record, frozen=True, kw_only=True):
    """A candidate: an entry with its slots filled."""

    entry: int
    """Its number in the bank."""
    likeness: float
    """How alike the situations are; at most the sum of the group weights."""
    filling: Filling
    way: int
    """0, or 1 where another value of the same slot was taken."""
    times: int
    """How many entries found give these very words."""


def pair_of(sample: Sample) -> str:
    """Return the topics of a sample in alphabetical order, as one text."""
    return "\t".join(holdout.pair_of(sample))


def entries_of(examples: Sequence[Example], tell: Callable[[int], None] | None = None) -> list[Entry]:
    """Return an entry for each example with a reply."""
    made: list[tuple[Entry, frozenset[str]]] = []
    for done, example in enumerate(examples):
        reply = example.references[0].text if example.references else None
        if not reply:
            continue
        now = situation_of(example.sample)
        template = Slotter(now.values)(reply.split())
        known = frozenset(word for value in now.values for word in value.words)
        groups = tuple((weight, tuple(terms)) for weight, terms in terms_of(now))
        entry = Entry(
            template=template,
            pair=pair_of(example.sample),
            turn=now.turn,
            domains=now.domains,
            reached=now.reached,
            groups=groups,
        )
        made.append((entry, known))
        if tell is not None and done % 500 == 0:
            tell(done)
    said = Counter(word for entry, _ in made for word in set(entry.rest))
    return [_with_needs(entry, known, said) for entry, known in made]


def _with_needs(entry: Entry, known: frozenset[str], said: Counter[str]) -> Entry:
    needs = [
        word for word in entry.rest if _FOREIGN.search(word) or (word in known and len(word) > 1 and said[word] < _RARE)
    ]
    if not needs:
        return entry
    return Entry(
        template=entry.template,
        pair=entry.pair,
        turn=entry.turn,
        domains=entry.domains,
        reached=entry.reached,
        groups=entry.groups,
        needs=tuple(dict.fromkeys(needs)),
    )


class Bank:
    """All entries, searchable."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = list(entries)
        heard = Counter(term for entry in self.entries for _, terms in entry.groups for term in set(terms))
        self._rarity = {term: math.log(len(self.entries) / (1 + times)) + _BASE for term, times in heard.items()}
        self._likeness = Postings([list(self._vector(entry.groups)) for entry in self.entries])
        slots = [sorted({word for word in entry.template if is_slot(word)}) for entry in self.entries]
        self._slots = Postings([[(slot, 1.0) for slot in one] for one in slots])
        self._wanted = np.array([len(one) for one in slots])
        pairs: dict[str, int] = {}
        self._pair = np.array([pairs.setdefault(entry.pair, len(pairs)) for entry in self.entries])
        self._pairs = pairs
        words = Counter(word for entry in self.entries for word in set(entry.rest))
        self.rarity_of_word = {word: math.log(len(self.entries) / (1 + times)) for word, times in words.items()}
        self.slots_of = [entry.slots for entry in self.entries]
        self.rest_of = [entry.rest for entry in self.entries]

    def _vector(self, groups: Sequence[tuple[float, Sequence[str]]]) -> Iterator[tuple[str, float]]:
        """Yield terms with weights; the squares of a group sum up to the group's weight."""
        for weight, terms in groups:
            counts = Counter(term for term in terms if term in self._rarity)
            values = {term: math.sqrt(times) * self._rarity[term] for term, times in counts.items()}
            norm = math.sqrt(added(value * value for value in values.values()))
            if norm > 0:
                yield from ((term, value / norm * math.sqrt(weight)) for term, value in sorted(values.items()))

    def search(
        self, now: Situation, *, most: int, pool: int, apart: str | None = None, facts: bool = True
    ) -> list[Found]:
        """Return up to `most` different candidates from the `pool` entries whose situations are most alike.

        Only entries whose slots and needs the situation can serve; none of the pair of topics `apart`. Of equal
        likeness the earlier entry comes first. Without `facts` only templates that name topics alone.
        """
        filler = Filler(now.values, now.said)
        alike = self._likeness.sums(list(self._vector(terms_of(now))))
        usable = filler.slots if facts else TOPICS
        served = self._slots.sums([(slot, 1.0) for slot in usable]) >= self._wanted - 0.5
        if apart is not None and apart in self._pairs:
            served &= self._pair != self._pairs[apart]
        alike[~served] = -1.0
        best = np.argsort(-alike, kind="stable") if len(alike) <= pool else _highest(alike, pool)
        known = {word for value in now.values for word in value.words} | {word for line in now.history for word in line}
        return self._filled(best, alike, filler, known, most)

    def _filled(
        self, best: NDArray[np.intp], alike: NDArray[np.float64], filler: Filler, known: set[str], most: int
    ) -> list[Found]:
        found: dict[Words, Found] = {}
        for number in best.tolist():
            if alike[number] < 0 or len(found) >= most:
                break
            entry = self.entries[number]
            if not known.issuperset(entry.needs):
                continue
            for way, filling in enumerate(filler(entry.template)):
                before = found.get(filling.words)
                if before is None:
                    likeness = float(alike[number])
                    found[filling.words] = Found(entry=number, likeness=likeness, filling=filling, way=way, times=1)
                else:
                    found[filling.words] = Found(
                        entry=before.entry,
                        likeness=before.likeness,
                        filling=before.filling,
                        way=before.way,
                        times=before.times + 1,
                    )
        return list(found.values())[:most]


def _highest(values: NDArray[np.float64], n: int) -> NDArray[np.intp]:
    """Return the places of the n highest values, highest first, earlier ones first among equals."""
    edge = np.partition(values, len(values) - n)[len(values) - n]
    places = np.flatnonzero(values >= edge)
    return places[np.argsort(-values[places], kind="stable")][:n]
