"""Vocabulary of the pair ranker, and the encoding of candidate pairs as its input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.spoken.systems.grounded.features import FEATURE_NAMES, NONE
from duologue.challenges.spoken.systems.grounded.similarity import SIMILARITIES
from duologue.core.records import Record
from duologue.models.choices import ChoiceEncoder, UtilitySize, template_table
from duologue.models.utility import Collator

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from duologue.challenges.spoken.systems.grounded.features import CandidatePairs
    from duologue.challenges.spoken.systems.grounded.recipe import GroundedRecipe
    from duologue.models.choices import Choice


class RankerVocabulary(Record, frozen=True, kw_only=True):
    """Words of questions and attributes that are frequent enough in the training data."""

    question: tuple[str, ...]
    attribute: tuple[str, ...]


def vocabulary_of(
    rows: Iterable[tuple[str, CandidatePairs, Collection[tuple[str, str]]]], *, rare: int
) -> RankerVocabulary:
    """Return the words that occur in at least `rare` dialogues; of attributes only the gold ones count.

    A row is a dialogue's id, the candidate pairs of one of its turns, and the gold pairs.
    """
    question: dict[str, set[str]] = {}
    attribute: dict[str, set[str]] = {}
    for dialogue, pairs, wanted in rows:
        for word in pairs.question:
            question.setdefault(word, set()).add(dialogue)
        for pair, words in zip(pairs.pairs, pairs.attributes, strict=True):
            if pair in wanted:
                for word in words:
                    attribute.setdefault(word, set()).add(dialogue)
    return RankerVocabulary(question=_often(question, rare), attribute=_often(attribute, rare))


def _often(found: dict[str, set[str]], rare: int) -> tuple[str, ...]:
    return tuple(sorted(word for word, dialogues in found.items() if len(dialogues) >= rare))


def target_shares(pairs: CandidatePairs, wanted: Collection[tuple[str, str]]) -> NDArray[np.float32]:
    """Return the target distribution over the pairs (c,): uniform over the gold pairs, `NONE` where there are none.

    All zeros where no gold pair is a candidate.
    """
    right = np.array([pair in (wanted or (NONE,)) for pair in pairs.pairs], dtype=np.float32)
    total = right.sum()
    return right / total if total else right


class PairEncoder:
    """Encodes candidate pairs; attributes with the same words share a row of a table that grows while encoding."""

    def __init__(self, words: RankerVocabulary) -> None:
        self.words = words
        self._encoder = ChoiceEncoder(words.question, words.attribute)
        self._table: dict[tuple[int, ...], int] = {}

    def row(self, pairs: CandidatePairs, shares: NDArray[np.float32] | None = None) -> Choice:
        """Return the encoded candidates of a turn, in training with their target distribution."""
        attributes = [
            self._table.setdefault(self._encoder.template(words), len(self._table)) for words in pairs.attributes
        ]
        return self._encoder.choice(
            pairs.question, attributes, pairs.features, None if shares is None else shares[:, None]
        )

    def begin(self) -> None:
        """Start a new table; collators of earlier rows keep theirs."""
        self._table = {}

    def collator(self) -> Collator:
        """Return the collator of the rows encoded so far."""
        return Collator(template_table(self._table))

    def size(self, recipe: GroundedRecipe) -> UtilitySize:
        """Return the sizes of a network with this vocabulary."""
        members = 1  # the system trains them one by one, each with its own held-out dialogues
        features = len(FEATURE_NAMES) + (len(SIMILARITIES) if recipe.encoder != "none" else 0)
        return self._encoder.sized(UtilitySize.of(recipe, features=features, members=members))
