"""The lexicon that each sample is read with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.knowledge.facts import parse_fact
from duologue.challenges.restaurant.systems.trained_ranker.delex import KbLexicon

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.core.records import Fact, Sample


class Lexicons:
    """Chooses the lexicon of each sample."""

    def __init__(self, worlds: Mapping[str, KbLexicon]) -> None:
        self._worlds = worlds
        self._only = next(iter(worlds.values())) if len(worlds) == 1 else None
        self._used: dict[int, KbLexicon] = {}

    def of(self, sample: Sample) -> KbLexicon:
        """Return the lexicon of the world that the sample names, the only one there is, or one of its own facts."""
        lexicon = self._worlds.get(sample.world) if sample.world is not None else None
        lexicon = lexicon or self._only or KbLexicon((*sample.knowledge, *_told(sample)))
        self._used[id(lexicon)] = lexicon
        return lexicon

    @property
    def used(self) -> list[KbLexicon]:
        """The lexicons that samples were read with, in the order of their first use."""
        return list(self._used.values())


def _told(sample: Sample) -> list[Fact]:
    """Return the facts in the lines of the history."""
    facts = (parse_fact(turn.text) for turn in sample.history if turn.speaker == "api")
    return [fact for fact in facts if fact is not None]
