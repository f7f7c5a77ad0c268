"""Which entities a dialogue names: what a trained tagger finds and the graph knows; else one name from a dictionary."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from duologue.core.records import Record
from duologue.knowledge.normalization import without_suffix

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.challenges.spoken.systems.pipeline.network.tagger import Tagged, Tagger, TaggerSize
    from duologue.challenges.spoken.systems.pipeline.utterances import LabelledUtterance
    from duologue.models.words import Words

_LONGEST = 8  # characters of a run whose rarity is known
_LEAST = 2  # characters of a name in the dictionary
_RARE = 3  # utterances that a run must stand in to be counted
_READ = 200  # characters of an utterance that are tagged


class NgramIdf(Record, frozen=True, kw_only=True):
    """How many utterances hold a run of characters: what IDF is made of."""

    utterances: int
    counts: dict[str, int]
    """Runs of 2 to 8 characters; those in fewer than three utterances are left out."""

    @classmethod
    def of(cls, lines: Sequence[LabelledUtterance]) -> NgramIdf:
        """Count the runs of utterances."""
        counts: Counter[str] = Counter()
        for line in lines:
            text = line.text
            counts.update(
                {text[at : at + size] for size in range(_LEAST, _LONGEST + 1) for at in range(len(text) - size + 1)}
            )
        return cls(utterances=len(lines), counts={run: n for run, n in sorted(counts.items()) if n >= _RARE})

    def idf(self, name: str) -> float:
        """Return how rare a name is: ln of utterances over those that hold it, one added."""
        return math.log(self.utterances / (1 + self.counts.get(name[:_LONGEST], 0)))


class EntityDictionary:
    """The names of a graph: as they are and without their suffixes; of names that share one the last wins."""

    def __init__(self, entities: Iterable[str]) -> None:
        names = list(entities)
        self._entities = {**{without_suffix(name): name for name in names}, **{name: name for name in names}}
        self._lengths = sorted({len(name) for name in self._entities if len(name) >= _LEAST}, reverse=True)

    def entity(self, name: str) -> str | None:
        """Return the entity of a name; `None` where the graph has none."""
        return self._entities.get(name) or self._entities.get(name.strip("《》“”\"' "))

    def names_in(self, text: str) -> list[str]:
        """Return the names of at least two characters in a text, the longest first at each place."""
        found, place = [], 0
        while place < len(text):
            sizes = (size for size in self._lengths if text[place : place + size] in self._entities)
            size = next((size for size in sizes if place + size <= len(text)), 0)
            if size:
                found.append(text[place : place + size])
            place += size or 1
        return found


def tagger_size(words: Words, width: int, layers: int) -> TaggerSize:
    """Return the size of a tagger of names that reads these characters."""
    from duologue.challenges.spoken.systems.pipeline.network.tagger import TaggerSize  # needs torch

    return TaggerSize(vocabulary=len(words), labels=1, width=width, inner=4 * width, layers=layers, word_dropout=0.1)


def tagger_row(line: LabelledUtterance, words: Words) -> Tagged:
    """Return an utterance for the tagger; it must not be empty."""
    from duologue.challenges.spoken.systems.pipeline.network.tagger import LabelledSpan, Tagged  # needs torch

    spans = [LabelledSpan(start, end, 0) for start, end in line.names if end <= _READ]
    return Tagged(words.target(line.text[:_READ]), spans)


def mentioned_entities(
    texts: Sequence[str], tagger: Tagger, words: Words, dictionary: EntityDictionary, idf_table: NgramIdf
) -> list[str]:
    """Return the entities that a dialogue names, the one named last first, each once.

    Tagged names that the graph knows; where there are none, of all names in the dictionary the rarest (of equals the
    longest, then the last).
    """
    found: dict[str, None] = {}
    read = [text[:_READ] for text in texts if text.strip()]
    spans = tagger.spans([_plain(text, words) for text in read]) if read else []
    for text, of_text in zip(reversed(read), reversed(spans), strict=True):
        for span in reversed(of_text):
            entity = dictionary.entity(text[span.start : span.end])
            if entity is not None:
                found[entity] = None
    if found:
        return list(found)
    names = [name for text in texts for name in dictionary.names_in(text)]
    if not names:
        return []
    place = max(range(len(names)), key=lambda at: (idf_table.idf(names[at]), len(names[at]), at))
    entity = dictionary.entity(names[place])
    return [] if entity is None else [entity]


def _plain(text: str, words: Words) -> Tagged:
    from duologue.challenges.spoken.systems.pipeline.network.tagger import Tagged  # needs torch

    return Tagged(words.target(text))
