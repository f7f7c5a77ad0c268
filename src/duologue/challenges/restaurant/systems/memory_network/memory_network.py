"""The memory network of the literature as a ranker: a baseline that learns from words, with match types.

Sukhbaatar et al. 2015, as Bordes et al. 2017 rank restaurant dialogues with it. Nothing is delexicalised.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.restaurant.systems.trained_ranker.bags import BagTable
from duologue.challenges.restaurant.systems.trained_ranker.trained_ranker import (
    SimulationRecipe,
    TrainedRanker,
    rows_of,
)
from duologue.core.bounds import Positive, PositiveFloat, Stacked
from duologue.core.records import Record
from duologue.models.vocabulary import CopyVocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.restaurant.systems.memory_network.network import MemoryBatch, MemoryNetwork, MemoryRow
    from duologue.challenges.restaurant.systems.trained_ranker.lexicons import Lexicons
    from duologue.core.protocols import Run
    from duologue.core.records import Example, Sample


class MemoryNetworkRecipe(SimulationRecipe, frozen=True):
    """Training data, network size and training schedule of the memory network."""

    matches: bool = True
    """Match types: a candidate is told which kinds of its values the dialogue holds."""
    width: Positive = 48
    """Vector size of words."""
    hops: Stacked = 3
    """How often the query looks at the memories."""
    memories: Positive = 64
    """Turns and fact lines that are remembered, the last ones."""
    least: Positive = 3
    """Words in fewer different utterances are unknown."""
    epochs: Positive = 6
    learning_rate: PositiveFloat = 4e-3
    """At its highest, after the warm-up."""

    @classmethod
    def tiny(cls) -> MemoryNetworkRecipe:
        """Return a recipe that trains in a moment, for tests of what it must keep to, not of what it knows."""
        return cls(dialogues=30, held_out=10, schemas=3, epochs=1, width=8, batch=32)


class MemoryNetworkCard(Record, frozen=True, kw_only=True):
    """What a saved memory network needs besides its weights."""

    words: list[str]
    """The vocabulary."""


class LearnedMemory(NamedTuple):
    """The network with its vocabulary."""

    model: MemoryNetwork
    vocabulary: CopyVocabulary


class MemoryNetworkRanker(TrainedRanker[MemoryNetworkRecipe, LearnedMemory]):
    """Rank candidates by an end-to-end memory network with match types: a baseline of the literature."""

    Recipe: type[Record] = MemoryNetworkRecipe
    name = "memn2n"
    Card, card_file = MemoryNetworkCard, "memory_network.json"

    def _learn_to_score(
        self, examples: Sequence[Example], held_out: Sequence[Example], lexicons: Lexicons, run: Run
    ) -> LearnedMemory:
        from duologue.challenges.restaurant.systems.memory_network.network import collate  # needs torch
        from duologue.challenges.restaurant.systems.trained_ranker.network import train_ranker  # the same

        table = BagTable()
        read = partial(self._row, lexicons, table)
        rows = rows_of(examples, read, run.progress)
        vocabulary = table.vocabulary(least=self.recipe.least)
        judged = rows_of(held_out, read, run.progress)
        model = self._new_model(vocabulary, run.seed)
        train_ranker(model, partial(collate, table=table.tokens(vocabulary)), rows, judged, self.recipe, run)
        return LearnedMemory(model, vocabulary)

    def _row(self, lexicons: Lexicons, table: BagTable, sample: Sample, target: int = -1) -> MemoryRow:
        from duologue.challenges.restaurant.systems.memory_network.features import memory_row  # needs numpy

        lexicon, recipe = lexicons.of(sample), self.recipe
        return memory_row(sample, lexicon, table, recipe.memories, matches=recipe.matches, target=target)

    def _batch(self, learned: LearnedMemory, samples: Sequence[Sample], lexicons: Lexicons) -> MemoryBatch:
        from duologue.challenges.restaurant.systems.memory_network.network import collate  # needs torch

        table = BagTable()
        rows = [self._row(lexicons, table, sample) for sample in samples]
        return collate(rows, table.tokens(learned.vocabulary))

    def _card(self, learned: LearnedMemory) -> MemoryNetworkCard:
        return MemoryNetworkCard(words=list(learned.vocabulary.words))

    def _restored(self, card: MemoryNetworkCard) -> LearnedMemory:
        vocabulary = CopyVocabulary(card.words)
        return LearnedMemory(self._new_model(vocabulary, 0), vocabulary)

    def _new_model(self, vocabulary: CopyVocabulary, seed: int) -> MemoryNetwork:
        from duologue.challenges.restaurant.systems.memory_network.network import (  # needs torch
            MemoryNetwork,
            MemorySize,
        )
        from duologue.models.weights import first_weights

        recipe = self.recipe
        size = MemorySize(vocabulary=len(vocabulary), width=recipe.width, hops=recipe.hops, memories=recipe.memories)
        with first_weights(seed):
            return MemoryNetwork(size)
