"""The classifier of entities: what is known of an entity to its type, a feed-forward network.

The first features of an entity are a score of each type to begin with, which the network corrects: untrained it changes
nothing.

Letters in shapes: b entities, f features, k types.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import FeedForward
from duologue.models.train import TrainConfig, TrainingTask, train
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from duologue.challenges.mobilecs.systems.candidate_scorer.recipe import ScorerRecipe
    from duologue.core.protocols import Run


class TypedEntity(NamedTuple):
    """An entity to learn from."""

    features: NDArray[np.float32]
    """(f,)"""
    kind: int
    mentions: int
    """What it counts: mentions of it that were found."""


class TypedBatch(NamedTuple):
    """Entities of a step."""

    features: Tensor
    """(b, f)"""
    kinds: Tensor
    """(b,)"""
    weights: Tensor
    """(b,)"""


class TypeClassifier(nn.Module):
    """Scores of the types of entities: (b, f) -> (b, k)."""

    def __init__(self, features: int, kinds: int, recipe: ScorerRecipe) -> None:
        super().__init__()
        sizes = [features, *([recipe.hidden] * recipe.layers)]
        self.hidden = nn.ModuleList([nn.Linear(*pair) for pair in pairwise(sizes)])
        self.corrections = nn.Linear(recipe.hidden, kinds)
        nn.init.zeros_(self.corrections.weight)
        nn.init.zeros_(self.corrections.bias)
        self.dropout = nn.Dropout(recipe.dropout)
        self.kinds = kinds

    def forward(self, features: Tensor) -> Tensor:
        """Return the scores of the types of each entity."""
        x = features
        for layer in self.hidden:
            x = self.dropout(layer(x).relu())
        corrections: Tensor = self.corrections(x)
        return features[:, : self.kinds] + corrections

    def frozen(self) -> FeedForward:
        """Return the layers of the corrections as they are now."""
        return FeedForward(
            tuple(
                (np.ascontiguousarray(one.weight.detach().numpy().T), one.bias.detach().numpy())
                for one in (*self.hidden, self.corrections)
                if isinstance(one, nn.Linear)
            )
        )


def new_classifier(features: int, kinds: int, recipe: ScorerRecipe, seed: int) -> TypeClassifier:
    """Return an untrained classifier."""
    with first_weights(seed):
        return TypeClassifier(features, kinds, recipe)


def collate(rows: Sequence[TypedEntity]) -> TypedBatch:
    """Return entities side by side."""
    return TypedBatch(
        torch.from_numpy(np.stack([row.features for row in rows])),
        torch.tensor([row.kind for row in rows]),
        torch.tensor([float(row.mentions) for row in rows]),
    )


def fit_classifier(
    classifier: TypeClassifier,
    rows: Sequence[TypedEntity],
    held_out: Sequence[TypedEntity],
    config: TrainConfig,
    run: Run,
) -> None:
    """Train a classifier on entities, each as often as it is mentioned; without any, it stays as it is."""

    def loss(batch: TypedBatch) -> Tensor:
        losses = functional.cross_entropy(classifier(batch.features), batch.kinds, reduction="none")
        mean: Tensor = (losses * batch.weights).sum() / batch.weights.sum()
        return mean

    def hits(batch: TypedBatch) -> Tensor:
        right: Tensor = classifier(batch.features).argmax(1) == batch.kinds
        return right.float()

    if rows and held_out:
        task = TrainingTask(module=classifier, collate=collate, loss=loss, hits=hits, length=_alike)
        train(task, rows, held_out, config, run)


def _alike(_: TypedEntity) -> int:
    return 1
