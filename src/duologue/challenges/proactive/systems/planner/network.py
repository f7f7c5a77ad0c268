"""The word network: how likely each word and slot is to occur in the next reply, from the words of a dialogue state.

Letters in shapes: b states, w words of a state, v words of replies, d width, h hidden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from duologue.core.records import Record
from duologue.models.inference import inference
from duologue.models.train import TrainingTask
from duologue.models.vocabulary import PAD
from duologue.models.weights import first_weights
from duologue.models.word_bags import without_some, word_bag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

_RAREST = 1e-5
"""Least share of the replies that a word is taken to have at the start."""


class WordRow(NamedTuple):
    """A state and the words of its reply as numbers."""

    state: NDArray[np.int32]
    """(w,): no padding."""
    reply: NDArray[np.int64]
    """Distinct words of the reply; none where it is not known."""


class WordBatch(NamedTuple):
    """Rows padded to tensors."""

    states: Tensor
    """(b, w)."""
    replies: Tensor
    """(b, v): 1 where the reply has the word."""


class WordNetworkSize(Record, frozen=True, kw_only=True):
    """Sizes of the word network."""

    state_words: int
    """Words of states, padding included."""
    reply_words: int
    width: int = 128
    hidden: int = 192
    dropout: float = 0.3
    word_dropout: float = 0.15
    """Share of words of a state that are not read, in training."""


class WordNetwork(nn.Module):
    """Predicts the words of the next reply from the bag of words of a state."""

    def __init__(self, size: WordNetworkSize) -> None:
        super().__init__()
        self.size = size
        self.words = word_bag(size.state_words, size.width)
        self.body = nn.Sequential(
            *(nn.LayerNorm(size.width), nn.Dropout(size.dropout), nn.Linear(size.width, size.hidden)),
            *(nn.GELU(), nn.Dropout(size.dropout)),
        )
        self.head = nn.Linear(size.hidden, size.reply_words)

    def forward(self, states: Tensor) -> Tensor:
        """Return the log odds (b, v) of each word."""
        read = without_some(states, self.size.word_dropout, training=self.training)
        odds: Tensor = self.head(self.body(self.words(read)))
        return odds

    def start_from(self, rows: Sequence[WordRow]) -> None:
        """Let the first prediction of each word be the share of the replies that have it."""
        times = np.zeros(self.size.reply_words, dtype=np.float32)
        for row in rows:
            times[row.reply] += 1
        shares = np.clip(times / max(1, len(rows)), _RAREST, 1 - _RAREST)
        with torch.no_grad():
            self.head.weight.mul_(0.1)
            self.head.bias.copy_(torch.from_numpy(np.log(shares / (1 - shares))))


def new_network(size: WordNetworkSize, seed: int) -> WordNetwork:
    """Return a network with the first weights of that seed; the chance of others is left alone."""
    with first_weights(seed):
        return WordNetwork(size)


def learner(network: WordNetwork) -> TrainingTask[WordRow, WordBatch]:
    """Return what `train` needs: the loss is the cross-entropy of all words of a reply."""

    def loss(batch: WordBatch) -> Tensor:
        odds = network(batch.states)
        return functional.binary_cross_entropy_with_logits(odds, batch.replies, reduction="sum") / len(odds)

    def collate(rows: Sequence[WordRow]) -> WordBatch:
        replies = torch.zeros(len(rows), network.size.reply_words)
        for line, row in zip(replies, rows, strict=True):
            line[torch.from_numpy(row.reply)] = 1.0
        return WordBatch(_padded([row.state for row in rows]), replies)

    return TrainingTask(module=network, collate=collate, loss=loss, hits=None, length=lambda row: len(row.state))


def probabilities(network: WordNetwork, states: Sequence[NDArray[np.int32]]) -> NDArray[np.float32]:
    """Return the probability (b, v) of each word in the reply to each state."""
    with inference(network):
        found: NDArray[np.float32] = torch.sigmoid(network(_padded(states))).numpy()
    return found


def _padded(states: Sequence[NDArray[np.int32]]) -> Tensor:
    made = torch.full((len(states), max(1, *(len(one) for one in states))), PAD, dtype=torch.int32)
    for line, one in zip(made, states, strict=True):
        line[: len(one)] = torch.from_numpy(one)
    return made
