"""Which entities a dialogue is about: what was named and when, and whose values were said.

Names are often missing (three quarters of the questions have none) or misheard; what the replies said of an entity
tells as well which one is meant. Nothing here is learned; it gathers what the ranker weighs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from duologue.challenges.spoken.systems.grounded.entity_linker import EntityLinker
from duologue.challenges.spoken.systems.grounded.normalization import char_ngrams, fold, list_items
from duologue.challenges.spoken.systems.grounded.value_index import ValueIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from duologue.challenges.spoken.systems.grounded.entity_linker import LinkedMention
    from duologue.core.protocols import World
    from duologue.core.records import Fact, Turn

Key = TypeVar("Key")
T = TypeVar("T")

_MAX_ENTITIES = 14
_MAX_NAMESAKES = 5
_RETRIEVAL_TURNS = 4
"""Latest turns from which subjects are recalled by what was said of them."""
_CORRECTED_TURNS = 3
_LEAST_SIMILARITY = 0.3
_SHORTEST = 2
"""Characters of a word that is found inside another by more than chance."""
_LONG = 16
"""Characters from which a value is compared by pieces: people shorten and reword it."""
_PROSE = 200
"""Characters from which a value is no list any more."""
_KEPT = 1 << 15  # results that are remembered


class EntityMention(NamedTuple):
    """Where an entity was named."""

    age: int
    """Turns before the last one: 0 is the user's question."""
    mention: LinkedMention


@dataclass
class CandidateEntity:
    """An entity that a reply may be about."""

    name: str
    said: list[EntityMention] = field(default_factory=list)
    """Latest first."""
    namesakes: int = 1
    """Entities of the same name, this one included."""
    retrieved: dict[int, float] = field(default_factory=dict)
    """By age of the turn: how much it says what the graph says of the entity."""


class EntityValue(NamedTuple):
    """One value of an entity, prepared for comparison with what is said."""

    fact: Fact
    folded: str
    parts: tuple[str, ...]
    pieces: frozenset[str]
    """Empty for short values."""


class EntityProfile(NamedTuple):
    """What the graph says of an entity."""

    values: tuple[EntityValue, ...]
    relations: dict[str, tuple[int, ...]]
    """By attribute, the places of its values."""


@dataclass
class DialogueState:
    """A dialogue as far as it was heard."""

    turns: tuple[str, ...]
    """Latest first."""
    corrected: tuple[str, ...]
    """The latest turns with the noise undone where it could be."""
    mentions: tuple[tuple[LinkedMention, ...], ...]
    """Per turn as it was heard."""
    candidates: list[CandidateEntity]


class StateTracker:
    """Reads dialogues against one graph."""

    def __init__(
        self, graph: World, linker: EntityLinker, index: ValueIndex, correct: Callable[[str], str] | None = None
    ) -> None:
        """Take the graph with its indexes; `correct` undoes noise before the words of a question are read."""
        self._graph, self._linker, self._index, self._correct = graph, linker, index, correct
        self._corrected: dict[str, str] = {}
        self._profiles: dict[str, EntityProfile] = {}
        self._overlaps: dict[tuple[str, str], tuple[float, ...]] = {}
        self._retrievals: dict[str, list[tuple[str, float]]] = {}

    def track(self, history: Sequence[Turn], also: Iterable[str] = ()) -> DialogueState:
        """Return what a history (its last turn is the question) names and recalls; without turns there is nothing.

        `also` are entities that are candidates in any case.
        """
        turns = tuple(turn.text for turn in reversed(history))
        corrected = tuple(
            text if age % 2 else self._correct_once(text) for age, text in enumerate(turns[:_CORRECTED_TURNS])
        )
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
                if strength >= _LEAST_SIMILARITY:
                    candidate = kept.setdefault(name, candidates.get(name, CandidateEntity(name)))
                    candidate.retrieved[age] = strength
        return DialogueState(turns, corrected, mentions, list(kept.values()))

    def profile(self, name: str) -> EntityProfile:
        """Return what the graph says of an entity."""
        found = self._profiles.get(name)
        if found is None:
            found = self._profiles[name] = _bounded(self._profiles, _profile(self._graph.about(name)))
        return found

    def overlaps(self, name: str, text: str) -> tuple[float, ...]:
        """Return for each value of an entity's profile how far a text says it, from 0 to 1."""
        key = (name, text)
        found = self._overlaps.get(key)
        if found is None:
            folded = fold(text)
            said = char_ngrams(folded)
            values = self.profile(name).values
            found = _bounded(self._overlaps, tuple(_overlap(value, folded, said) for value in values))
            self._overlaps[key] = found
        return found

    def _correct_once(self, text: str) -> str:
        if self._correct is None:
            return text
        found = self._corrected.get(text)
        if found is None:
            found = self._corrected[text] = _bounded(self._corrected, self._correct(text))
        return found

    def _retrieved(self, text: str) -> list[tuple[str, float]]:
        found = self._retrievals.get(text)
        if found is None:
            found = self._retrievals[text] = _bounded(self._retrievals, self._index.search(text))
        return found


def tracker_of(graph: World, *, fuzzy: bool, correct: Callable[[str], str] | None = None) -> StateTracker:
    """Return a tracker over a graph; of 38,000 entities its indexes take seconds."""
    subjects = dict.fromkeys(fact.subject for fact in graph)
    return StateTracker(graph, EntityLinker(subjects, fuzzy=fuzzy), ValueIndex(graph), correct)


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
                pieces=char_ngrams(folded) if long else frozenset(),
            )
        )
        relations[fact.relation] = (*relations.get(fact.relation, ()), place)
    return EntityProfile(tuple(values), relations)


def _overlap(value: EntityValue, folded: str, said: frozenset[str]) -> float:
    """Return how far a text says a value: whole 1, of a list at least half of it, of a long text what is shared."""
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
