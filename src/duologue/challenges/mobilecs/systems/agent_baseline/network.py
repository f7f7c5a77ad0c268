"""A causal transformer over characters, with a copy head over its own past.

Letters in shapes: b streams, t characters, d width, v characters known, n targets.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from duologue.core.records import Record
from duologue.models.blocks import (
    CopyHead,
    Dropout,
    Layer,
    Seen,
    causal_bias,
    copy_distribution,
    copy_log_likelihood,
    padding_bias,
    sinusoids,
)
from duologue.models.tokens import padded
from duologue.models.train import TrainingTask
from duologue.models.training_recipe import entries_of
from duologue.models.vocabulary import PAD
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

_PLACES = 512


class StreamSize(Record, frozen=True, kw_only=True):
    """Sizes of a `StreamLM`."""

    vocabulary: int
    """v, special ones included."""
    width: int
    heads: int
    inner: int
    layers: int
    dropout: float
    copy: bool

    @classmethod
    def of(cls, recipe: object, **given: Any) -> StreamSize:
        """Return the sizes that a recipe has under the same names, and those `given`."""
        return entries_of(cls, recipe, **given)


class StreamState(NamedTuple):
    """What streams have so far: the state of `StreamLM.step`."""

    words: Tensor
    """(b, t)."""
    states: Tensor
    """(b, t, d)."""
    keys: Tensor
    """(b, t, d), of the copy head."""
    bias: Tensor
    """(b, 1, 1, t): what is padding."""
    places: Tensor
    """(b,): of the next character."""
    layers: tuple[Seen, ...]


class StreamLM(nn.Module):
    """Predicts each character of a stream from those before; input and output embeddings are tied."""

    sines: Tensor

    def __init__(self, size: StreamSize) -> None:
        super().__init__()
        d = size.width
        self.size = size
        self.words = nn.Embedding(size.vocabulary, d)
        nn.init.normal_(self.words.weight, std=d**-0.5)
        self.register_buffer("sines", sinusoids(_PLACES, d), persistent=False)
        self.drop = Dropout(size.dropout)
        self.layers = nn.ModuleList(Layer(d, size.heads, size.inner, size.dropout) for _ in range(size.layers))
        self.norm = nn.LayerNorm(d)
        self.out_bias = nn.Parameter(torch.zeros(size.vocabulary))
        self.copy = CopyHead(d)

    def forward(self, words: Tensor) -> Tensor:
        """Return the mean negative log-likelihood of the characters after the first of each stream (b, t)."""
        read, wanted = words[:, :-1], words[:, 1:]
        bias = causal_bias(read.shape[1], read.device)  # padding stands at the end and is never looked at
        states, _ = self._states(read, torch.arange(read.shape[1]).expand_as(read), bias, None)  # (b, t, d)
        real = (wanted != PAD).flatten().nonzero().squeeze(1)  # (n,)
        target = wanted.flatten()[real]
        logits = self._logits(states.flatten(0, 1).index_select(0, real))  # (n, v)
        if not self.size.copy:
            return functional.cross_entropy(logits, target)
        weights, gate = self.copy(states, states, self.copy.key(states), bias)
        weights, gate = weights.flatten(0, 1).index_select(0, real), gate.flatten().index_select(0, real)
        source = read.index_select(0, real // read.shape[1])  # (n, t)
        return -copy_log_likelihood(logits, weights, gate, source, target).mean()

    def encode(self, words: Tensor) -> StreamState:
        """Return the state after streams (b, t), each of one character or more, padded at the end."""
        real = words != PAD
        places = torch.arange(words.shape[1]).expand_as(words)
        states, layers = self._states(words, places, causal_bias(words.shape[1], words.device), None)
        return StreamState(words, states, self.copy.key(states), padding_bias(real), real.sum(1), layers)

    def step(self, said: StreamState, tokens: Tensor) -> tuple[Tensor, StreamState]:
        """Return ln P (b, v) of what follows the characters (b,), and the state with these."""
        bias = functional.pad(said.bias, (0, 1))
        states, layers = self._states(tokens[:, None], said.places[:, None], bias, said.layers)
        following = StreamState(
            torch.cat([said.words, tokens[:, None]], 1),
            torch.cat([said.states, states], 1),
            torch.cat([said.keys, self.copy.key(states)], 1),
            bias,
            said.places + 1,
            layers,
        )
        logits = self._logits(states[:, 0])
        if not self.size.copy:
            return logits.log_softmax(-1), following
        weights, gate = self.copy(states, following.states, following.keys, bias)
        return copy_distribution(logits, weights[:, 0], gate[:, 0], following.words, 0), following

    def pick(self, said: StreamState, rows: Tensor) -> StreamState:
        """Return the streams of these rows, in this order."""
        words, states, keys, bias, places = (part.index_select(0, rows) for part in said[:5])
        return StreamState(words, states, keys, bias, places, tuple(one.pick(rows) for one in said.layers))

    def _states(
        self, words: Tensor, places: Tensor, bias: Tensor, past: tuple[Seen, ...] | None
    ) -> tuple[Tensor, tuple[Seen, ...]]:
        at = self.sines[places.clamp(max=_PLACES - 1)]
        x = self.drop(self.words(words) * math.sqrt(self.size.width) + at)
        seen = []
        for place, layer in enumerate(self.layers):
            x, made = layer(x, bias, past=None if past is None else past[place])
            seen.append(made)
        return self.norm(x), tuple(seen)

    def _logits(self, states: Tensor) -> Tensor:
        return functional.linear(states, self.words.weight, self.out_bias)


def new_stream_lm(size: StreamSize, seed: int) -> StreamLM:
    """Return a model with the first weights of a seed; the chance of others is left alone."""
    with first_weights(seed):
        return StreamLM(size)


def learner(model: StreamLM) -> TrainingTask[Sequence[int], Tensor]:
    """Return what `train` needs; the loss is the mean over all characters of a batch."""
    return TrainingTask(
        module=model, collate=padded, loss=model, hits=None, length=len, weight=lambda row: len(row) - 1.0, tokens=len
    )
