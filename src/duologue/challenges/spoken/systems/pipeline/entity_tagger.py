"""Which entities a dialogue names: what a trained tagger finds and the graph knows; else one name from a dictionary."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from duologue.core.bounds import Items
from duologue.core.records import Record
from duologue.knowledge.normalization import without_suffix
from duologue.metrics.ngrams import char_ngrams

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.challenges.spoken.systems.pipeline.network.tagger import Tagged, Tagger, TaggerSize
    from duologue.challenges.spoken.systems.pipeline.utterances import LabelledUtterance
    from duologue.models.vocabulary import CopyVocabulary

_LONGEST = 8  # characters of a run whose rarity is known
_LEAST = 2  # characters of a name in the dictionary
_RARE = 3  # utterances that a run must stand in to be counted
_READ = 200  # characters of an utterance that are tagged


class NgramIdf(Record, frozen=True, kw_only=True):
    """Document frequencies of character n-grams over utterances, for IDF."""

    utterances: Items
    counts: dict[str, Items]
    """By n-gram of 2 to 8 characters: the utterances that contain it, three or more."""

    @classmethod
    def of(cls, lines: Sequence[LabelledUtterance]) -> NgramIdf:
        """Count the n-grams of utterances."""
        counts: Counter[str] = Counter()
        for line in lines:
            counts.update(set(char_ngrams(line.text, _LEAST, _LONGEST)))
        return cls(utterances=len(lines), counts={run: n for run, n in sorted(counts.items()) if n >= _RARE})

    def idf(self, name: str) -> float:
        """Return the IDF of a name: ln of utterances / (1 + utterances that contain it)."""
        return math.log(max(self.utterances, 1) / (1 + self.counts.get(name[:_LONGEST], 0)))


class EntityDictionary:
    """Dictionary of the names of a graph, with and without their suffixes; of equal ones the last wins."""

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


def tagger_size(words: CopyVocabulary, width: int, layers: int) -> TaggerSize:
    """Return the sizes of a tagger over these characters."""
    from duologue.challenges.spoken.systems.pipeline.network.tagger import TaggerSize  # needs torch

    return TaggerSize(vocabulary=len(words), labels=1, width=width, inner=4 * width, layers=layers, word_dropout=0.1)


def tagger_row(line: LabelledUtterance, words: CopyVocabulary) -> Tagged:
    """Return the tagger input of an utterance, which must not be empty."""
    from duologue.challenges.spoken.systems.pipeline.network.tagger import LabelledSpan, Tagged  # needs torch

    spans = [LabelledSpan(start, end, 0) for start, end in line.names if end <= _READ]
    return Tagged(words.target(line.text[:_READ]), spans)


def mentioned_entities(
    texts: Sequence[str], tagger: Tagger, words: CopyVocabulary, dictionary: EntityDictionary, idf_table: NgramIdf
) -> list[str]:
    """Return the entities mentioned in a dialogue, the latest first, each once.

    They are the tagged names that the graph has; without any, the dictionary match with the highest IDF (of equals the
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


def _plain(text: str, words: CopyVocabulary) -> Tagged:
    from duologue.challenges.spoken.systems.pipeline.network.tagger import Tagged  # needs torch

    return Tagged(words.target(text))
