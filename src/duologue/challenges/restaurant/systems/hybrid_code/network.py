"""Hybrid code network (Williams et al. 2017) that scores candidates in the place of choosing among templates.

Shapes: b rows, s steps, c candidates, u distinct bags, a action templates, k entity features, d width, h hidden.

A recurrent state over the steps gives each action template a logit, as in the paper. There code puts the entities into
the template that was chosen; here the candidates of a template differ in their entities alone, and those that fit what
the code has tracked are weighed by template and state. What the code forbids is as good as out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from duologue.challenges.restaurant.systems.trained_ranker.network import Bags, Ints, Mask, bags_of, padded, whole
from duologue.core.records import Record
from duologue.models.blocks import Dropout
from duologue.models.vocabulary import PAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
_FORBIDDEN = -20.0  # a right answer that the code forbids must not make the loss infinite


class HybridRow(NamedTuple):
    """One sample as numbers."""

    steps: Ints
    """(s,): bags, at least one."""
    actions: Ints
    """(c,): number of the candidate's action template."""
    fits: Floats
    """(c, k): how its entities fit."""
    allowed: Mask
    """(c,): whether the code lets it be said."""
    target: int = -1
    """Place of the right candidate; -1 when not known."""

    @property
    def length(self) -> int:
        """Number of steps: what batches are sorted by."""
        return len(self.steps)


class HybridBatch(NamedTuple):
    """Rows padded to tensors."""

    bags: Bags
    steps: Tensor
    """(b, s): index into `bags`."""
    lengths: Tensor
    """(b,): steps per row, at least 1."""
    actions: Tensor
    """(b, c)."""
    fits: Tensor
    """(b, c, k)."""
    allowed: Tensor
    """(b, c): True where the code lets a candidate be said."""
    candidate_mask: Tensor
    """(b, c): True where there is one."""
    targets: Tensor
    """(b,)."""


class HybridSize(Record, frozen=True):
    """Sizes of a `HybridCodeNetwork`."""

    vocabulary: int
    actions: int
    """Action templates, the one for all others included."""
    fits: int
    """Entity features of a candidate."""
    width: int
    hidden: int
    dropout: float


class HybridCodeNetwork(nn.Module):
    """Score the candidates of each row: `HybridBatch` -> (b, c), the higher the better."""

    def __init__(self, size: HybridSize) -> None:
        super().__init__()
        self.words = nn.EmbeddingBag(size.vocabulary, size.width, mode="sum", padding_idx=PAD)
        self.turns = nn.LSTM(size.width, size.hidden, batch_first=True)
        self.drop = Dropout(size.dropout)
        self.chosen = nn.Linear(size.hidden, size.actions)
        self.fit_of_state = nn.Linear(size.hidden, size.fits)
        self.fit_of_action = nn.Embedding(size.actions, size.fits)
        nn.init.normal_(self.words.weight, std=0.1)
        nn.init.constant_(self.fit_of_action.weight, 0.5)

    def forward(self, batch: HybridBatch) -> Tensor:
        """Return the scores of the candidates, -1e9 where there is none."""
        bags = self.words(batch.bags.words, batch.bags.starts)  # (u, d)
        states, _ = self.turns(self.drop(functional.embedding(batch.steps, bags)))  # (b, s, h)
        last = (batch.lengths - 1).view(-1, 1, 1).expand(-1, 1, states.shape[-1])
        state = self.drop(states.gather(1, last).squeeze(1))  # (b, h)
        scores = self.chosen(state).gather(1, batch.actions)  # (b, c)
        weights = self.fit_of_action(batch.actions) + self.fit_of_state(state).unsqueeze(1)  # (b, c, k)
        scores = scores + (weights * batch.fits).sum(-1) + _FORBIDDEN * (~batch.allowed)
        out: Tensor = scores.masked_fill(~batch.candidate_mask, -1e9)
        return out


def collate(rows: Sequence[HybridRow], table: Sequence[Sequence[int]]) -> HybridBatch:
    """Pad rows into one batch; `table` holds the token numbers of each bag."""
    steps, step_mask = padded([row.steps for row in rows], least=1)
    actions, candidate_mask = padded([row.actions for row in rows], least=1)
    fits = np.zeros((*actions.shape, rows[0].fits.shape[1]), np.float32)
    allowed = np.zeros(actions.shape, np.bool_)
    for number, row in enumerate(rows):
        fits[number, : len(row.fits)] = row.fits
        allowed[number, : len(row.allowed)] = row.allowed
    index, bags = bags_of(steps, table)
    return HybridBatch(
        bags=bags,
        steps=index,
        lengths=whole(step_mask.sum(1)),
        actions=whole(actions),
        fits=torch.from_numpy(fits),
        allowed=torch.from_numpy(allowed),
        candidate_mask=torch.from_numpy(candidate_mask),
        targets=torch.tensor([row.target for row in rows]),
    )
