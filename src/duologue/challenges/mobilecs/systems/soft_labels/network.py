"""Cross-entropy of a tagger with the probabilities that its teachers give, where these are trusted.

Letters in shapes: n characters with gaps, f features of a character, k labels of a layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from duologue.challenges.mobilecs.systems.tagger.network import TAUGHT_ROWS, laid_out
from duologue.models.train import TrainingTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from duologue.challenges.mobilecs.systems.tagger.network import CharTagger, TaggedDocument


class SoftDocument(NamedTuple):
    """A document with the probabilities of its labels."""

    features: NDArray[np.int32]
    """(n, f)"""
    shares: tuple[NDArray[np.float16], ...]
    """Of each layer (n, k)."""
    trusted: NDArray[np.bool_]
    """Characters that teach something, by layer (layers, n)."""


class SoftBatch(NamedTuple):
    """Documents laid end to end."""

    features: Tensor
    """(n, f)"""
    shares: tuple[Tensor, ...]
    """Of each layer (n, k), zeros in gaps and where nothing is trusted."""


def certain(row: TaggedDocument, sizes: Sequence[int]) -> SoftDocument:
    """Return an annotated document, whose labels have probability 1."""
    known = row.labels >= 0
    shares = [
        np.eye(size, dtype=np.float16)[np.where(some, labels, 0)]
        for labels, some, size in zip(row.labels, known, sizes, strict=True)
    ]
    return SoftDocument(row.features, tuple(shares), known)


def soft_task(tagger: CharTagger) -> TrainingTask[SoftDocument, SoftBatch]:
    """Return what `train` needs: the loss is the sum over layers of the mean cross-entropy of trusted characters."""

    def loss(batch: SoftBatch) -> Tensor:
        _, scores = tagger(batch.features)
        losses = [
            -(shares * layer.log_softmax(1)).sum() / shares.sum().clamp(min=1.0)
            for layer, shares in zip(scores, batch.shares, strict=True)
        ]
        return torch.stack(losses).sum()

    return TrainingTask(module=tagger, collate=_collate, loss=loss, hits=None, length=_length, weight=_weight)


def _collate(rows: Sequence[SoftDocument]) -> SoftBatch:
    features, starts = laid_out([row.features for row in rows], TAUGHT_ROWS)
    layers = []
    for layer in range(len(rows[0].shares)):
        shares = np.zeros((len(features), rows[0].shares[layer].shape[1]), dtype=np.float32)
        for start, row in zip(starts, rows, strict=True):
            shares[start : start + len(row.features)] = row.shares[layer] * row.trusted[layer][:, None]
        layers.append(torch.from_numpy(shares))
    return SoftBatch(features, tuple(layers))


def _length(row: SoftDocument) -> int:
    return len(row.features)


def _weight(row: SoftDocument) -> float:
    return float(len(row.features))
