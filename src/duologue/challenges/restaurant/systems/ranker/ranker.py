"""The learned ranker: a neural candidate ranker trained on simulated dialogues, without a hand-written policy.

Utterances are delexicalised by looking their words up in the knowledge base, samples become numbers (`features`), a
small network scores the candidates (`network.model`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.restaurant.systems.trained_ranker.trained_ranker import (
    SimulationRecipe,
    TrainedRanker,
    rows_of,
)
from duologue.core.bounds import Positive, Probability
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.restaurant.systems.ranker.features import FeatureExtractor, Vocabulary
    from duologue.challenges.restaurant.systems.ranker.network.batches import RankerBatch, RankerRow
    from duologue.challenges.restaurant.systems.ranker.network.model import DialogueRanker
    from duologue.challenges.restaurant.systems.trained_ranker.lexicons import Lexicons
    from duologue.core.protocols import Run
    from duologue.core.records import Example, Sample


class RankerRecipe(SimulationRecipe, frozen=True):
    """Training data, network size and training schedule of the ranker."""

    rare: Probability = 0.02
    """Words that occur in a smaller share of the schemas become the unknown word."""
    width: Positive = 64
    """Vector size of words, utterances and turns."""
    hidden: Positive = 128
    """Hidden size of the layer that scores a candidate."""
    word_dropout: Probability = 0.03
    """Share of words replaced by the unknown word in training."""

    @classmethod
    def tiny(cls) -> RankerRecipe:
        """Return a recipe that trains in seconds, for tests of what a ranker must keep to, not of what it knows."""
        return cls(dialogues=30, held_out=10, schemas=3, epochs=1, width=16, hidden=16, batch=32)


class RankerCard(Record, frozen=True, kw_only=True):
    """What a saved ranker needs besides its weights."""

    words: list[str]
    """The vocabulary."""


class LearnedRanker(NamedTuple):
    """The network with its vocabulary."""

    model: DialogueRanker
    vocabulary: Vocabulary


class Ranker(TrainedRanker[RankerRecipe, LearnedRanker]):
    """Rank candidates by a network trained on simulated dialogues, with beliefs in what the user mentioned."""

    Recipe: type[Record] = RankerRecipe
    name = "ranker"
    Card, card_file = RankerCard, "ranker.json"

    def _learn_to_score(
        self, examples: Sequence[Example], held_out: Sequence[Example], lexicons: Lexicons, run: Run
    ) -> LearnedRanker:
        from duologue.challenges.restaurant.systems.ranker.features import FeatureExtractor, Vocabulary  # needs numpy
        from duologue.challenges.restaurant.systems.ranker.network.batches import collator  # needs torch
        from duologue.challenges.restaurant.systems.trained_ranker.network import train_ranker  # the same

        extractor = FeatureExtractor()
        read = partial(_row, lexicons, extractor)
        rows = rows_of(examples, read, run.progress)
        vocabulary = Vocabulary.of(lexicons.used, rare=self.recipe.rare)
        judged = rows_of(held_out, read, run.progress)
        model = self._new_model(vocabulary, run.seed)
        train_ranker(model, collator(*extractor.numbers(vocabulary)), rows, judged, self.recipe, run)
        return LearnedRanker(model, vocabulary)

    def _batch(self, learned: LearnedRanker, samples: Sequence[Sample], lexicons: Lexicons) -> RankerBatch:
        from duologue.challenges.restaurant.systems.ranker.features import FeatureExtractor  # needs numpy
        from duologue.challenges.restaurant.systems.ranker.network.batches import collate  # needs torch

        extractor = FeatureExtractor()
        rows = [_row(lexicons, extractor, sample) for sample in samples]
        return collate(rows, *extractor.numbers(learned.vocabulary))

    def _card(self, learned: LearnedRanker) -> RankerCard:
        return RankerCard(words=list(learned.vocabulary.words))

    def _restored(self, card: RankerCard) -> LearnedRanker:
        from duologue.challenges.restaurant.systems.ranker.features import Vocabulary  # needs numpy

        vocabulary = Vocabulary(card.words)
        return LearnedRanker(self._new_model(vocabulary, 0), vocabulary)

    def _new_model(self, vocabulary: Vocabulary, seed: int) -> DialogueRanker:
        from duologue.challenges.restaurant.systems.ranker.features import CATEGORIES, MARKERS, RANKINGS  # needs numpy
        from duologue.challenges.restaurant.systems.ranker.network.model import (
            DialogueRanker,
            RankerSize,
        )  # needs torch
        from duologue.models.weights import first_weights

        size = RankerSize(
            vocabulary=len(vocabulary),
            categories=tuple(CATEGORIES.values()),
            rankings=tuple(RANKINGS.values()),
            width=self.recipe.width,
            hidden=self.recipe.hidden,
            word_dropout=self.recipe.word_dropout,
            markers=len(MARKERS),
        )
        with first_weights(seed):
            return DialogueRanker(size)


def _row(lexicons: Lexicons, extractor: FeatureExtractor, sample: Sample, target: int = -1) -> RankerRow:
    return extractor.row(sample, lexicons.of(sample), target=target)
