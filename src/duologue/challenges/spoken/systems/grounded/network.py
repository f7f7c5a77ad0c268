"""Listwise pair ranker: a softmax over the candidate pairs, one of which stands for no knowledge.

The network is that of `duologue.models.utility`, over the words of the context and the words and features of each
candidate. It is trained by the cross-entropy between the target distribution and the softmax of its scores.

Letters in shapes: b lists, c candidates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from duologue.models.train import TrainingTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    from duologue.models.choices import Choice
    from duologue.models.utility import Choices, Collator, UtilityRanker


def log_shares(model: UtilityRanker, batch: Choices) -> Tensor:
    """Return the log probability of each candidate (b, c); of padding it is very small."""
    scores = model(batch).squeeze(-1).masked_fill(~batch.mask, torch.finfo(torch.float32).min)
    overlaps: Tensor = scores.log_softmax(-1)
    return overlaps


def learner(model: UtilityRanker, collate: Collator) -> TrainingTask[Choice, Choices]:
    """Return what `train` needs; `Choice.utility` (c, 1) holds the target distribution.

    `hits` is 1 where the best candidate is one of the right ones.
    """

    def loss(batch: Choices) -> Tensor:
        overlaps = log_shares(model, batch).masked_fill(~batch.mask, 0.0)
        total: Tensor = -(batch.utility.squeeze(-1) * overlaps).sum(-1).mean()
        return total

    def hits(batch: Choices) -> Tensor:
        best = log_shares(model, batch).argmax(1, keepdim=True)
        return (batch.utility.squeeze(-1).gather(1, best).squeeze(1) > 0).float()

    return TrainingTask(module=model, collate=collate, loss=loss, hits=hits, length=lambda row: len(row.templates))


def shares(models: Sequence[UtilityRanker], rows: Sequence[Choice], collate: Collator) -> list[NDArray[np.float32]]:
    """Return the probabilities of each list of candidates: the mean over the models."""
    batch = collate(rows)
    with torch.inference_mode():
        mean = torch.stack([log_shares(model.eval(), batch).exp() for model in models]).mean(0).numpy()
    return [line[: len(row.templates)] for line, row in zip(mean, rows, strict=True)]
