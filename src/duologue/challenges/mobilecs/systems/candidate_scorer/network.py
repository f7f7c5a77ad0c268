"""The scorer's network: hidden layers over the features of each candidate, trained on decisions.

Letters in shapes: b decisions, c candidates, f features.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import CandidateList, FeedForward
from duologue.models.train import TrainConfig, TrainingTask, train
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from duologue.challenges.mobilecs.systems.candidate_scorer.recipe import ScorerRecipe
    from duologue.core.protocols import Run


class ScorerBatch(NamedTuple):
    """Decisions, padded to the longest list."""

    features: Tensor
    """(b, c, f)"""
    right: Tensor
    """(b, c)"""
    mask: Tensor
    """(b, c), true for candidates."""
    context: Tensor | None = None
    """(b, k)"""


class CandidateScorer(nn.Module):
    """Scores of candidates: (..., f) -> (...); `features` counts those of their decision, too."""

    def __init__(self, features: int, recipe: ScorerRecipe) -> None:
        super().__init__()
        sizes = [features, *([recipe.hidden] * recipe.layers), 1]
        self.linears = nn.ModuleList([nn.Linear(*pair) for pair in pairwise(sizes)])
        self.dropout = nn.Dropout(recipe.dropout)

    def forward(self, features: Tensor, context: Tensor | None = None) -> Tensor:
        """Return a score for each candidate; `context` (b, k) is the same for all candidates of a decision."""
        x = features
        for number, linear in enumerate(self.linears):
            if number:
                x = linear(self.dropout(x.relu()))
            elif context is None:
                x = linear(x)
            else:
                assert isinstance(linear, nn.Linear)
                of_each, of_all = torch.split(linear.weight, [x.shape[-1], context.shape[-1]], 1)
                x = functional.linear(x, of_each, linear.bias)
                x = x + functional.linear(context, of_all).unsqueeze(-2)
        return x.squeeze(-1)

    def frozen(self) -> FeedForward:
        """Return its weights as they are now."""
        return FeedForward(
            tuple(
                (
                    np.ascontiguousarray(one.weight.detach().numpy().T, dtype=np.float32),
                    one.bias.detach().numpy().astype(np.float32),
                )
                for one in self.linears
                if isinstance(one, nn.Linear)
            )
        )


def new_scorer(features: int, recipe: ScorerRecipe, seed: int) -> CandidateScorer:
    """Return an untrained scorer."""
    with first_weights(seed):
        return CandidateScorer(features, recipe)


def collate(rows: Sequence[CandidateList]) -> ScorerBatch:
    """Return decisions padded to the longest list."""
    longest = max(len(row.right) for row in rows)
    features = np.zeros((len(rows), longest, rows[0].features.shape[1]), dtype=np.float32)
    right, mask = np.zeros((2, len(rows), longest), dtype=np.float32)
    for place, row in enumerate(rows):
        features[place, : len(row.right)] = row.features
        right[place, : len(row.right)] = row.right
        mask[place, : len(row.right)] = 1
    known = [row.context for row in rows if row.context is not None]
    context = torch.from_numpy(np.stack(known).astype(np.float32)) if known else None
    return ScorerBatch(torch.from_numpy(features), torch.from_numpy(right), torch.from_numpy(mask) > 0, context)


def choice_task(scorer: CandidateScorer) -> TrainingTask[CandidateList, ScorerBatch]:
    """Return what `train` needs to choose one candidate: the loss is -log of the share of the right ones (softmax)."""

    def shares(batch: ScorerBatch) -> Tensor:
        floor = torch.finfo(torch.float32).min
        found: Tensor = scorer(batch.features, batch.context).masked_fill(~batch.mask, floor).log_softmax(1)
        return found

    def loss(batch: ScorerBatch) -> Tensor:
        return -shares(batch).masked_fill(batch.right == 0, -1e9).logsumexp(1).mean()

    def hits(batch: ScorerBatch) -> Tensor:
        return batch.right.gather(1, shares(batch).argmax(1, keepdim=True)).squeeze(1)

    return TrainingTask(module=scorer, collate=collate, loss=loss, hits=hits, length=_length)


def match_task(scorer: CandidateScorer) -> TrainingTask[CandidateList, ScorerBatch]:
    """Return what `train` needs to judge each candidate by itself: the loss is the cross-entropy of yes and no."""

    def loss(batch: ScorerBatch) -> Tensor:
        scores = scorer(batch.features, batch.context)[batch.mask]
        return functional.binary_cross_entropy_with_logits(scores, batch.right[batch.mask])

    def hits(batch: ScorerBatch) -> Tensor:
        scores = scorer(batch.features, batch.context).masked_fill(~batch.mask, torch.finfo(torch.float32).min)
        return batch.right.gather(1, scores.argmax(1, keepdim=True)).squeeze(1)

    return TrainingTask(module=scorer, collate=collate, loss=loss, hits=hits, length=_length)


def _length(row: CandidateList) -> int:
    return len(row.right)


def fit_scorer(
    scorer: CandidateScorer,
    rows: Sequence[CandidateList],
    held_out: Sequence[CandidateList],
    config: TrainConfig,
    run: Run,
    *,
    one_of_all: bool,
) -> None:
    """Train a scorer on decisions, one right candidate of all or each by itself; without any, it stays as it is."""
    if rows and held_out:
        train((choice_task if one_of_all else match_task)(scorer), rows, held_out, config, run)
