"""Batches of token ids: padding, and word dropout in training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from duologue.models.vocabulary import PAD, SPECIAL, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


def padded(rows: Sequence[Sequence[int]], *, least: int = 0) -> Tensor:
    """Return rows of ids as one tensor of int64 (b, t), padded at the end; t is the longest row, or `least`."""
    longest = max(least, *map(len, rows)) if rows else least
    table = [[*row, *[PAD] * (longest - len(row))] for row in rows]
    return torch.tensor(table, dtype=torch.int64).reshape(len(rows), longest)


def word_dropout(tokens: Tensor, rate: float) -> Tensor:
    """Return ids with about this share replaced by the unknown word; special words are kept."""
    lost = torch.rand(tokens.shape, device=tokens.device) < rate
    return tokens.masked_fill(lost & (tokens >= len(SPECIAL)), UNKNOWN)
