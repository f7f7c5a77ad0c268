"""Attribute matching: the attribute whose name is nearest to the question by cosine of trained text vectors."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.spoken.systems.pipeline.network.vectors import TextVectors
    from duologue.core.protocols import World
    from duologue.core.records import Fact
    from duologue.models.vocabulary import CopyVocabulary

_SPOKEN = {"Information": "简介"}
"""Attributes that are matched under another name, as in the published code."""


def grams_of(text: str) -> list[str]:
    """Return the character unigrams and bigrams of a text without punctuation."""
    signs = [sign for sign in text.lower() if sign.isalnum()]
    return [*signs, *(f"{a}{b}" for a, b in pairwise(signs))]


def asked_name(attribute: str) -> str:
    """Return the name under which an attribute is matched with questions."""
    return _SPOKEN.get(attribute, attribute)


class AttributeMatcher:
    """Matches a question with one entity and attribute."""

    def __init__(self, model: TextVectors, words: CopyVocabulary) -> None:
        self._model, self._words = model, words

    def choose(self, question: str, entities: Sequence[str], world: World) -> tuple[Fact, ...]:
        """Return all facts of the best pair of entity and attribute; ties go to the entity that comes first.

        Where an entity has facts there is always an answer.
        """
        from duologue.challenges.spoken.systems.pipeline.network.vectors import nearest, vectors_of  # needs torch

        pairs: dict[str, str] = {}
        for entity in entities:
            for fact in world.about(entity):
                pairs.setdefault(fact.relation, entity)
        if not pairs:
            return ()
        texts = [question, *(asked_name(attribute) for attribute in pairs)]
        vectors = vectors_of(self._model, [self._words.target(grams_of(text)) for text in texts])
        attribute = list(pairs)[nearest(vectors[0], vectors[1:])]
        return tuple(fact for fact in world.about(pairs[attribute]) if fact.relation == attribute)
