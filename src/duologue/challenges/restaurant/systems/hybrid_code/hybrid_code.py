"""The hybrid code network of the literature as a ranker: a recurrent state, action templates, entities tracked by code.

Williams et al. 2017, adapted to the ranking of candidates. Unlike the ranker of this project it does not learn which of
several mentions counts: its code takes the latest.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.restaurant.systems.hybrid_code.entity_tracker import FITS
from duologue.challenges.restaurant.systems.trained_ranker.bags import BagTable
from duologue.challenges.restaurant.systems.trained_ranker.trained_ranker import (
    SimulationRecipe,
    TrainedRanker,
    place_of_answer,
    rows_of,
)
from duologue.core.bounds import Positive, Probability
from duologue.core.records import Record
from duologue.models.vocabulary import CopyVocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.restaurant.systems.hybrid_code.network import HybridBatch, HybridCodeNetwork, HybridRow
    from duologue.challenges.restaurant.systems.trained_ranker.lexicons import Lexicons
    from duologue.core.protocols import Run
    from duologue.core.records import Example, Sample


class HybridCodeRecipe(SimulationRecipe, frozen=True):
    """Training data, network size and training schedule of the hybrid code network."""

    width: Positive = 64
    """Vector size of words, actions and context features."""
    hidden: Positive = 128
    """Size of the recurrent state."""
    dropout: Probability = 0.1
    """Share of the numbers dropped before and after the recurrent state."""
    least: Positive = 3
    """Words and features in fewer different steps are unknown."""

    @classmethod
    def tiny(cls) -> HybridCodeRecipe:
        """Return a recipe that trains in a moment, for tests of what it must keep to, not of what it knows."""
        return cls(dialogues=30, held_out=10, schemas=3, epochs=1, width=8, hidden=8, batch=32)


class HybridCodeCard(Record, frozen=True, kw_only=True):
    """What a saved hybrid code network needs besides its weights."""

    words: list[str]
    """The vocabulary."""
    actions: list[str]
    """The action templates of right answers, by number from 1."""


class LearnedHybrid(NamedTuple):
    """The network with its vocabulary and its action templates."""

    model: HybridCodeNetwork
    vocabulary: CopyVocabulary
    actions: dict[str, int]


class HybridCodeRanker(TrainedRanker[HybridCodeRecipe, LearnedHybrid]):
    """Rank candidates by a hybrid code network: a baseline of the literature."""

    Recipe: type[Record] = HybridCodeRecipe
    name = "hcn"
    Card, card_file = HybridCodeCard, "hybrid_code.json"

    def _learn_to_score(
        self, examples: Sequence[Example], held_out: Sequence[Example], lexicons: Lexicons, run: Run
    ) -> LearnedHybrid:
        from duologue.challenges.restaurant.systems.hybrid_code.features import action_of  # needs numpy
        from duologue.challenges.restaurant.systems.hybrid_code.network import collate  # needs torch
        from duologue.challenges.restaurant.systems.trained_ranker.network import train_ranker  # the same

        right = [(one.sample, one.sample.candidates[place_of_answer(one)]) for one in examples]
        said = {action_of(lexicons.of(sample).delexicalise(candidate.text)) for sample, candidate in right}
        actions, table = _numbered(sorted(said)), BagTable()
        read = partial(_row, lexicons, table, actions)
        rows = rows_of(examples, read, run.progress)
        vocabulary = table.vocabulary(least=self.recipe.least)
        judged = rows_of(held_out, read, run.progress)
        model = self._new_model(vocabulary, actions, run.seed)
        train_ranker(model, partial(collate, table=table.tokens(vocabulary)), rows, judged, self.recipe, run)
        return LearnedHybrid(model, vocabulary, actions)

    def _batch(self, learned: LearnedHybrid, samples: Sequence[Sample], lexicons: Lexicons) -> HybridBatch:
        from duologue.challenges.restaurant.systems.hybrid_code.network import collate  # needs torch

        table = BagTable()
        rows = [_row(lexicons, table, learned.actions, sample) for sample in samples]
        return collate(rows, table.tokens(learned.vocabulary))

    def _card(self, learned: LearnedHybrid) -> HybridCodeCard:
        return HybridCodeCard(words=list(learned.vocabulary.words), actions=list(learned.actions))

    def _restored(self, card: HybridCodeCard) -> LearnedHybrid:
        vocabulary, actions = CopyVocabulary(card.words), _numbered(card.actions)
        return LearnedHybrid(self._new_model(vocabulary, actions, 0), vocabulary, actions)

    def _new_model(self, vocabulary: CopyVocabulary, actions: Mapping[str, int], seed: int) -> HybridCodeNetwork:
        from duologue.challenges.restaurant.systems.hybrid_code.network import (  # needs torch
            HybridCodeNetwork,
            HybridSize,
        )
        from duologue.models.weights import first_weights

        recipe = self.recipe
        size = HybridSize(
            vocabulary=len(vocabulary),
            actions=len(actions) + 1,
            fits=len(FITS),
            width=recipe.width,
            hidden=recipe.hidden,
            dropout=recipe.dropout,
        )
        with first_weights(seed):
            return HybridCodeNetwork(size)


def _numbered(actions: Sequence[str]) -> dict[str, int]:
    return {action: number for number, action in enumerate(actions, start=1)}


def _row(
    lexicons: Lexicons, table: BagTable, actions: Mapping[str, int], sample: Sample, target: int = -1
) -> HybridRow:
    from duologue.challenges.restaurant.systems.hybrid_code.features import hybrid_row  # needs numpy

    return hybrid_row(sample, lexicons.of(sample), table, actions, target=target)
