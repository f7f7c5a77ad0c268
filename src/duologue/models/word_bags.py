"""Bags of words as input of a network: the sum of the vectors of their words, some of them left out in training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from duologue.models.vocabulary import PAD

if TYPE_CHECKING:
    from torch import Tensor


def word_bag(words: int, width: int, *, spread: float = 0.05) -> nn.EmbeddingBag:
    """Return the layer that sums vectors: ids (b, t), padded with `PAD`, -> (b, width).

    Weights are drawn from a normal distribution with this standard deviation; those of `PAD` are 0 and stay so.
    """
    bag = nn.EmbeddingBag(words, width, mode="sum", padding_idx=PAD)
    nn.init.normal_(bag.weight, std=spread)
    with torch.no_grad():
        bag.weight[PAD].zero_()
    return bag


def without_some(words: Tensor, rate: float, *, training: bool) -> Tensor:
    """Return ids of any shape, in training with about this share of them taken out of their bags (`PAD`)."""
    if not training or not rate:
        return words
    return words.masked_fill(torch.rand(words.shape) < rate, PAD)
