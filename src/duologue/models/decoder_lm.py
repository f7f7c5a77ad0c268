"""Decoder-only transformer with a copy head (pointer-generator): all targets of a batch are trained in one pass.

Attention is causal over the whole sequence. Token ids from V on are out-of-vocabulary tokens of the sequence, which can
only be copied. Copy mechanism: See et al. 2017, as in `blocks`.

Shapes: B sequences, T tokens per sequence, M hypotheses, S tokens that one can attend to, N target tokens of a batch,
D model width, V vocabulary, X out-of-vocabulary tokens of a batch.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional

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
from duologue.models.tokens import word_dropout
from duologue.models.training_recipe import RecipeEntries
from duologue.models.vocabulary import PAD, UNKNOWN
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from torch import Tensor


class DecoderLMConfig(RecipeEntries, frozen=True):
    """Sizes and dropout rates of a `DecoderLM`."""

    vocabulary: int
    """V, special tokens included."""
    places: int = 512
    """Number of position encodings; later positions share the last one."""
    width: int = 160
    heads: int = 4
    inner: int = 640
    layers: int = 4
    dropout: float = 0.1
    word_dropout: float = 0.0
    """Share of input tokens replaced by the unknown token in training; they can still be copied."""
    speakers: int = 0
    """Number of speaker embeddings, added to those of tokens; 0: none."""
    reply_speaker: int = 0
    """Speaker id of generated tokens."""
    copy: bool = True
    """Whether tokens of the sequence can be copied, beside being generated."""


class TokenBatch(NamedTuple):
    """Padded int64 tensors, each (B, T)."""

    words: Tensor
    speakers: Tensor | None = None
    """Of each token; `None` for a network without speakers."""
    wanted: Tensor | None = None
    """Target after each token; PAD where there is none. `None` at inference."""


class DecoderLMState(NamedTuple):
    """Key/value cache of each hypothesis: the state of `DecoderLM.step`."""

    words: Tensor
    """(M, S)"""
    states: Tensor
    """(M, S, D)"""
    keys: Tensor
    """(M, S, D): keys of the copy head."""
    bias: Tensor
    """(M, 1, 1, S): attention bias that masks padding."""
    layers: tuple[Seen, ...]
    places: Tensor
    """(M,): position of the next token."""
    extra: int
    """X"""


class DecoderLM(nn.Module):
    """Decoder stack with a copy head; input and output embeddings are tied."""

    sines: Tensor

    def __init__(self, size: DecoderLMConfig) -> None:
        super().__init__()
        d = size.width
        self.size = size
        self.words = nn.Embedding(size.vocabulary, d)
        self.speakers = nn.Embedding(size.speakers, d) if size.speakers else None
        nn.init.normal_(self.words.weight, std=d**-0.5)
        if self.speakers is not None:
            nn.init.normal_(self.speakers.weight, std=d**-0.5)
        self.register_buffer("sines", sinusoids(size.places, d), persistent=False)
        self.drop = Dropout(size.dropout)
        self.layers = nn.ModuleList(Layer(d, size.heads, size.inner, size.dropout) for _ in range(size.layers))
        self.norm = nn.LayerNorm(d)
        self.out_bias = nn.Parameter(torch.zeros(size.vocabulary))
        self.copy = CopyHead(d)

    def forward(self, batch: TokenBatch) -> Tensor:
        """Return the mean negative log-likelihood over the targets of a batch, a scalar."""
        words, wanted = batch.words, batch.wanted
        assert wanted is not None
        bias = causal_bias(words.shape[1], words.device)  # right padding is never attended to
        places = torch.arange(words.shape[1], device=words.device).expand_as(words)
        states, _ = self._states(self._read(words, batch.speakers, places), bias, None)  # (B, T, D)
        copied = self.copy(states, states, self.copy.key(states), bias) if self.size.copy else None
        real = (wanted != PAD).flatten().nonzero().squeeze(1)  # (N,): the vocabulary is large
        logits = self._logits(states.flatten(0, 1).index_select(0, real))  # (B T, D) -> (N, V)
        target = wanted.flatten()[real]
        if copied is None:
            return functional.cross_entropy(logits, target)
        weights, gate = copied  # (B, T, T), (B, T)
        weights = weights.flatten(0, 1).index_select(0, real)  # (B T, T) -> (N, T)
        gate = gate.flatten().index_select(0, real)  # (N,)
        source = words.index_select(0, real // words.shape[1])  # (N, T)
        return -copy_log_likelihood(logits, weights, gate, source, target).mean()

    def encode(self, batch: TokenBatch) -> DecoderLMState:
        """Encode contexts, padded at the end; each has at least one token. Targets are not read."""
        words, device = batch.words, batch.words.device
        real = words != PAD  # (M, S)
        places = torch.arange(words.shape[1], device=device).expand_as(words)
        x = self._read(words, batch.speakers, places)
        states, layers = self._states(x, causal_bias(words.shape[1], device), None)
        extra = max(0, int(words.max()) + 1 - self.size.vocabulary)
        return DecoderLMState(words, states, self.copy.key(states), padding_bias(real), layers, real.sum(1), extra)

    def step(self, said: DecoderLMState, tokens: Tensor) -> tuple[Tensor, DecoderLMState]:
        """Return ln P of the next token, (M, V + X), after the last tokens `tokens` (M,); X is 0 without copying."""
        tokens = tokens.unsqueeze(1)
        x = self._read(tokens, torch.full_like(tokens, self.size.reply_speaker), said.places.unsqueeze(1))
        bias = functional.pad(said.bias, (0, 1))  # (M, 1, 1, S + 1)
        states, layers = self._states(x, bias, said.layers)  # (M, 1, D)
        following = DecoderLMState(
            torch.cat([said.words, tokens], 1),
            torch.cat([said.states, states], 1),
            torch.cat([said.keys, self.copy.key(states)], 1),
            bias,
            layers,
            said.places + 1,
            said.extra,
        )
        logits = self._logits(states[:, 0])
        if not self.size.copy:
            return logits.log_softmax(-1), following
        weights, gate = self.copy(states, following.states, following.keys, bias)  # (M, 1, S + 1), (M, 1)
        return copy_distribution(logits, weights[:, 0], gate[:, 0], following.words, said.extra), following

    def pick(self, said: DecoderLMState, rows: Tensor) -> DecoderLMState:
        """Return the hypotheses `rows`, in this order; a row may occur several times."""
        if len(rows) == len(said.words) and torch.equal(rows, torch.arange(len(rows), device=rows.device)):
            return said
        first = [part.index_select(0, rows) for part in said[:4]]
        layers = tuple(one.pick(rows) for one in said.layers)
        return DecoderLMState(
            first[0], first[1], first[2], first[3], layers, said.places.index_select(0, rows), said.extra
        )

    def _read(self, words: Tensor, speakers: Tensor | None, places: Tensor) -> Tensor:
        """Return input embeddings (B, T, D): token, speaker and position; out-of-vocabulary tokens as unknown."""
        words = words.masked_fill(words >= self.size.vocabulary, UNKNOWN)
        if self.training and self.size.word_dropout:
            words = word_dropout(words, self.size.word_dropout)
        at = self.sines[places.clamp(max=self.size.places - 1)]  # (B, T, D)
        x = self.words(words) * math.sqrt(self.size.width)
        if self.speakers is not None:
            x = x + self.speakers(speakers)
        read: Tensor = self.drop(x + at)
        return read

    def _states(self, x: Tensor, bias: Tensor, past: tuple[Seen, ...] | None) -> tuple[Tensor, tuple[Seen, ...]]:
        """Return the contextual states (B, T, D) and each layer's key/value cache."""
        seen = []
        for place, layer in enumerate(self.layers):
            x, made = layer(x, bias, past=None if past is None else past[place])
            seen.append(made)
        return self.norm(x), tuple(seen)

    def _logits(self, states: Tensor) -> Tensor:
        return functional.linear(states, self.words.weight, self.out_bias)


def new_decoder_lm(size: DecoderLMConfig, seed: int) -> DecoderLM:
    """Return a model initialised by `seed`, without touching the global random state."""
    with first_weights(seed):
        return DecoderLM(size)
