"""Trains the second choice: the word model, then weights and own words on samples that are put aside."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.proactive.systems.planner.reply_choice import ReplyChoice
from duologue.challenges.proactive.systems.planner.reranking_task import candidate_utilities
from duologue.challenges.proactive.systems.planner.second_choice import SecondChoice, fitted, reply_features
from duologue.challenges.proactive.systems.planner.slots import Slotter
from duologue.challenges.proactive.systems.planner.state import state_words
from duologue.challenges.proactive.systems.planner.variety import OwnWords, Variety
from duologue.challenges.proactive.systems.planner.word_model import WordModel, reply_words
from duologue.core.progress import tracked
from duologue.models.choices import frequent_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.proactive.systems.planner.recipe import PlannerRecipe
    from duologue.challenges.proactive.systems.planner.reply_choice import LearnedPlanner
    from duologue.challenges.proactive.systems.planner.slots import Tokens
    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.core.protocols import Progress, Run
    from duologue.retrieval.reranker import RerankingExample

WORD_MODEL = "words"
"""Folder of the word model's checkpoints."""
_TOGETHER = 32  # states whose candidates are ranked at once


class RankedList(NamedTuple):
    """Recombined replies to a state put aside."""

    features: NDArray[np.float64]
    """(replies, features)."""
    utilities: NDArray[np.float64]
    """(replies,): against what a person said."""
    replies: list[Tokens]


def with_second_choice(
    recipe: PlannerRecipe,
    learned: LearnedPlanner,
    training: Sequence[RerankingExample[PlannerState]],
    held_out: Sequence[RerankingExample[PlannerState]],
    aside: Sequence[RerankingExample[PlannerState]],
    *,
    run: Run,
) -> LearnedPlanner:
    """Return what was learned with a second choice and the planner's own words.

    `held_out` decides which weights of the word model are best. Weights and own words come from `aside`: samples that
    neither ranker nor word model has learned from, and of which the index has none.
    """
    words = trained_words(recipe, learned.reranker.encoder.words, training, held_out, run)
    lists = list(_lists(recipe, learned, words, aside, run.progress))
    second = SecondChoice(words, fitted([(one.features, one.utilities) for one in lists]))
    own = OwnWords.of([one.replies[int(np.argmax(second.predicted(one.features)))] for one in lists])
    return learned._replace(second=second, variety=Variety(learned.variety.every, learned.variety.openings, own))


def trained_words(
    recipe: PlannerRecipe,
    vocabulary: Sequence[str],
    training: Sequence[RerankingExample[PlannerState]],
    held_out: Sequence[RerankingExample[PlannerState]],
    run: Run,
) -> WordModel:
    """Return a word model trained on states with replies; `vocabulary` are the words of states that it reads."""
    from duologue.models.train import TrainConfig  # needs torch

    words = frequent_words((reply_words(_template(one)) for one in training), recipe.rare)
    model = WordModel(vocabulary, words, run.seed)
    rows, tests = ([model.row(state_words(one.state), _template(one)) for one in part] for part in (training, held_out))
    config = TrainConfig.of(
        recipe, epochs=recipe.word_epochs, learning_rate=2e-3, weight_decay=0.02, choose="loss", fused=True
    )
    model.train(rows, tests, config, run.part(WORD_MODEL))
    return model


def _template(example: RerankingExample[PlannerState]) -> Tokens:
    return Slotter(example.state.values)(example.reference.split())


def _lists(
    recipe: PlannerRecipe,
    learned: LearnedPlanner,
    words: WordModel,
    aside: Sequence[RerankingExample[PlannerState]],
    progress: Progress | None,
) -> Iterator[RankedList]:
    """Yield the recombined replies to each state that has candidates."""
    choice = ReplyChoice(recipe, learned)
    for start in tracked(range(0, len(aside), _TOGETHER), progress, "recombining replies", every=5):
        part = aside[start : start + _TOGETHER]
        lists = [choice.candidates(one.state, apart=one.source) for one in part]
        for candidates, predicted, one in zip(lists, choice.predicted(lists), part, strict=True):
            if candidates.found:
                made = choice.recombined(candidates, predicted)
                replies = [reply.filling.words for reply in made.replies]
                yield RankedList(reply_features(words, *made), _utilities(replies, one.reference), replies)


def _utilities(replies: Sequence[Tokens], reference: str) -> NDArray[np.float64]:
    """Return the utility of each reply against a reference, the mean of the ranker's targets."""
    wanted = Counter("".join(reference.split()))
    rows = [candidate_utilities(Counter("".join(words)), wanted) for words in replies]
    mean: NDArray[np.float64] = np.array(rows).mean(axis=1)
    return mean
