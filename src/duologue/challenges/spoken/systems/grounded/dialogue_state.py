"""Dialogue state tracking over a graph: candidate entities by their mentions and by the values that were said.

Names are often missing (three quarters of the questions have none) or misrecognised; the values in earlier replies also
tell which entity is meant. Nothing here is learned: the ranker weighs what the state holds. The order of the graph's
triples plays no part: in a graph made of dialogues it tells which were spoken of first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from duologue.challenges.spoken.systems.grounded.entity_linker import EntityLinker
from duologue.challenges.spoken.systems.grounded.normalization import fold, grams_in, list_items
from duologue.challenges.spoken.systems.grounded.value_index import ValueIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.challenges.spoken.systems.grounded.entity_linker import LinkedMention
    from duologue.core.protocols import World
    from duologue.core.records import Fact, Turn

Key = TypeVar("Key")
T = TypeVar("T")

_MAX_ENTITIES = 14
_MAX_NAMESAKES = 5
_RETRIEVAL_TURNS = 4
"""Latest turns for which entities are retrieved by their values."""
_MIN_SIMILARITY = 0.3
"""Similarity from which a retrieved entity is a candidate."""
_SHORTEST = 2
"""Characters of a value from which a match inside a text counts."""
_LONG = 16
"""Characters from which a value is compared by n-grams: people shorten and reword it."""
_PROSE = 200
"""Characters from which a value is prose rather than a list."""
_KEPT = 1 << 15  # cached results


class EntityMention(NamedTuple):
    """A mention of an entity, with the age of its turn."""

    age: int
    """Turns before the last one; 0 is the user's question."""
    mention: LinkedMention


@dataclass
class CandidateEntity:
    """An entity that the reply may be about."""

    name: str
    said: list[EntityMention] = field(default_factory=list)
    """Latest first."""
    namesakes: int = 1
    """Number of entities with the same name, itself included."""
    retrieved: dict[int, float] = field(default_factory=dict)
    """By age of the turn: similarity of the turn to the values of the entity."""


class EntityValue(NamedTuple):
    """A value of an entity, prepared for comparison with turns."""

    fact: Fact
    folded: str
    parts: tuple[str, ...]
    pieces: frozenset[str]
    """Empty for short values."""


class EntityProfile(NamedTuple):
    """The values of an entity in the graph, by attribute."""

    values: tuple[EntityValue, ...]
    relations: dict[str, tuple[int, ...]]
    """By attribute: the indices of its values."""


@dataclass
class DialogueState:
    """State of a dialogue after its latest turn."""

    turns: tuple[str, ...]
    """Latest first."""
    mentions: tuple[tuple[LinkedMention, ...], ...]
    """Per turn."""
    candidates: list[CandidateEntity]


class StateTracker:
    """Tracks dialogues over one graph."""

    def __init__(self, graph: World, linker: EntityLinker, index: ValueIndex) -> None:
        self._graph, self._linker, self._index = graph, linker, index
        self._profiles: dict[str, EntityProfile] = {}
        self._overlaps: dict[tuple[str, str], tuple[float, ...]] = {}
        self._retrievals: dict[str, list[tuple[str, float]]] = {}

    @property
    def linker(self) -> EntityLinker:
        """The linker of the graph's names."""
        return self._linker

    def track(self, history: Sequence[Turn], also: Iterable[str] = ()) -> DialogueState:
        """Return the state after a history whose last turn is the question; empty without turns.

        `also` are entities that are candidates in any case.
        """
        turns = tuple(turn.text for turn in reversed(history))
        mentions = tuple(self._linker.mentions(text) for text in turns)
        candidates: dict[str, CandidateEntity] = {}
        for age, found in enumerate(mentions):
            for mention in reversed(found):
                for name in mention.names[:_MAX_NAMESAKES]:
                    candidate = candidates.setdefault(name, CandidateEntity(name, namesakes=len(mention.names)))
                    candidate.said.append(EntityMention(age, mention))
        kept = dict(list(candidates.items())[:_MAX_ENTITIES])
        for name in also:
            kept.setdefault(name, candidates.get(name, CandidateEntity(name)))
        for age, text in enumerate(turns[:_RETRIEVAL_TURNS]):
            for name, strength in self._retrieved(text):
                if strength >= _MIN_SIMILARITY:
                    candidate = kept.setdefault(name, candidates.get(name, CandidateEntity(name)))
                    candidate.retrieved[age] = strength
        return DialogueState(turns, mentions, list(kept.values()))

    def profile(self, name: str) -> EntityProfile:
        """Return the profile of an entity."""
        found = self._profiles.get(name)
        if found is None:
            facts = sorted(self._graph.about(name), key=_canonical_order)
            found = self._profiles[name] = _bounded(self._profiles, _profile(facts))
        return found

    def overlaps(self, name: str, text: str) -> tuple[float, ...]:
        """Return for each value of an entity how far a text expresses it, from 0 to 1."""
        key = (name, text)
        found = self._overlaps.get(key)
        if found is None:
            folded = fold(text)
            said = grams_in(folded)
            values = self.profile(name).values
            found = _bounded(self._overlaps, tuple(_overlap(value, folded, said) for value in values))
            self._overlaps[key] = found
        return found

    def _retrieved(self, text: str) -> list[tuple[str, float]]:
        found = self._retrievals.get(text)
        if found is None:
            found = self._retrievals[text] = _bounded(self._retrievals, self._index.search(text))
        return found


def tracker_of(graph: World, *, fuzzy: bool) -> StateTracker:
    """Return a tracker over a graph; of 38,000 entities its indexes take seconds."""
    subjects = sorted({fact.subject for fact in graph})
    return StateTracker(graph, EntityLinker(subjects, fuzzy=fuzzy), ValueIndex(graph))


def _canonical_order(fact: Fact) -> tuple[str, str, str]:
    return fact.relation, str(fact.object), type(fact.object).__name__


def _bounded(known: dict[Key, T], value: T) -> T:
    if len(known) >= _KEPT:
        known.clear()
    return value


def _profile(facts: Sequence[Fact]) -> EntityProfile:
    values = []
    relations: dict[str, tuple[int, ...]] = {}
    for place, fact in enumerate(facts):
        text = " ".join(fact.object) if isinstance(fact.object, tuple) else str(fact.object)
        folded = fold(text)
        long = len(folded) >= _LONG
        values.append(
            EntityValue(
                fact=fact,
                folded=folded,
                parts=() if long and len(text) > _PROSE else list_items(text),
                pieces=grams_in(folded) if long else frozenset(),
            )
        )
        relations[fact.relation] = (*relations.get(fact.relation, ()), place)
    return EntityProfile(tuple(values), relations)


def _overlap(value: EntityValue, folded: str, said: frozenset[str]) -> float:
    """Return how far a text expresses a value: 1 if verbatim, else by list members or shared n-grams."""
    if value.folded.isdigit():
        return float(re.search(rf"(?<!\d){value.folded}(?!\d)", folded) is not None)
    if len(value.folded) >= _SHORTEST and value.folded in folded:
        return 1.0
    best = 0.0
    if len(value.parts) > 1:
        hits = sum(part in folded for part in value.parts)
        best = 0.5 + 0.5 * hits / len(value.parts) if hits else 0.0
    if value.pieces and said:
        shared = len(said & value.pieces)
        if shared > 1:
            best = max(best, shared / min(len(said), len(value.pieces)))
    return best
