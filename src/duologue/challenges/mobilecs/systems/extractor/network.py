"""The classifiers of entities and of names: what is known of an entity to its type, and what n-grams tell of it.

The first features of an entity are a score of each type to begin with, which a feed-forward network corrects by the
others: untrained it changes nothing.

Letters in shapes: b entities or names, f features, k types, n n-grams.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import FeedForward
from duologue.challenges.mobilecs.systems.extractor.name_evidence import NameEvidence
from duologue.models.train import TrainConfig, TrainingTask, train
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from duologue.challenges.mobilecs.systems.candidate_scorer.recipe import ScorerRecipe
    from duologue.challenges.mobilecs.systems.extractor.name_evidence import TypedName
    from duologue.challenges.mobilecs.systems.extractor.recipe import NamesRecipe
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
        sizes = [features - kinds, *([recipe.hidden] * recipe.layers)]
        self.hidden = nn.ModuleList([nn.Linear(*pair) for pair in pairwise(sizes)])
        self.corrections = nn.Linear(recipe.hidden, kinds)
        nn.init.zeros_(self.corrections.weight)
        nn.init.zeros_(self.corrections.bias)
        self.dropout = nn.Dropout(recipe.dropout)
        self.kinds = kinds

    def forward(self, features: Tensor) -> Tensor:
        """Return the scores of the types of each entity."""
        x = features[:, self.kinds :]
        for layer in self.hidden:
            x = self.dropout(layer(x).relu())
        corrections: Tensor = self.corrections(x)
        return features[:, : self.kinds] + corrections

    def frozen(self) -> FeedForward:
        """Return the layers of the corrections as they are now, of the features behind the first scores."""
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


class NameBatch(NamedTuple):
    """Names of a step."""

    grams: Tensor
    """(n,)"""
    starts: Tensor
    """(b,), where each name begins."""
    groups: Tensor
    """(b,)"""
    weights: Tensor
    """(b,)"""


class NameClassifier(nn.Module):
    """Scores of types by the n-grams of names, a linear layer; untrained it tells nothing."""

    def __init__(self, buckets: int, kinds: int) -> None:
        super().__init__()
        self.grams = nn.EmbeddingBag(buckets, kinds, mode="sum")
        self.bias = nn.Parameter(torch.zeros(kinds))
        nn.init.zeros_(self.grams.weight)

    def forward(self, grams: Tensor, starts: Tensor) -> Tensor:
        """Return the scores of the types of each name: (n,), (b,) -> (b, k)."""
        scores: Tensor = self.grams(grams, starts) + self.bias
        return scores

    def frozen(self) -> NameEvidence:
        """Return what it has learned as it is now."""
        return NameEvidence(self.grams.weight.detach().numpy(), self.bias.detach().numpy())


def collate_names(rows: Sequence[TypedName]) -> NameBatch:
    """Return names end to end."""
    sizes = [len(row.grams) for row in rows]
    return NameBatch(
        torch.from_numpy(np.concatenate([row.grams for row in rows])),
        torch.tensor([0, *sizes[:-1]]).cumsum(0),
        torch.tensor([row.group for row in rows]),
        torch.tensor([row.weight for row in rows]),
    )


def fit_names(classifier: NameClassifier, rows: Sequence[TypedName], recipe: NamesRecipe, run: Run) -> None:
    """Train a classifier on names to the end: held-out calls have the same names, and would choose nothing."""

    def loss(batch: NameBatch) -> Tensor:
        scores = classifier(batch.grams, batch.starts)
        losses = functional.cross_entropy(scores, batch.groups, reduction="none")
        mean: Tensor = (losses * batch.weights).sum() / batch.weights.sum()
        return mean

    if rows:
        task = TrainingTask(module=classifier, collate=collate_names, loss=loss, hits=None, length=_alike)
        last = recipe.epochs - 1
        config = TrainConfig.of(recipe, choose="loss", choose_from=last, patience=recipe.epochs, **_TO_THE_END)
        train(task, rows, rows, config, run)


_TO_THE_END: dict[str, Any] = {"optimiser": "adam", "schedule": "linear", "warm_up": 0.0}


def _alike(_: object) -> int:
    return 1
