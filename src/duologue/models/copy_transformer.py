"""The copy transformer: encoder and decoder with a copy head (pointer-generator) for unknown words of the source.

Shapes: b rows, s source tokens, t target tokens, n real target tokens of all rows, d width, v vocabulary, x the most
unknown words of a source in the batch, l layers. Token ids are those of `duologue.models.vocabulary`: from v on they
mean unknown words of the row's own source. Kinds say what a source token is part of (a goal, a fact, who spoke).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from torch import nn
from torch.nn import functional

from duologue.core.errors import UsageError
from duologue.core.records import Record
from duologue.models.blocks import (
    CopyHead,
    Dropout,
    Encoder,
    Layer,
    Positions,
    Seen,
    causal_bias,
    copy_distribution,
    copy_log_likelihood,
    padding_bias,
)
from duologue.models.tokens import padded, word_dropout
from duologue.models.vocabulary import BEGIN, END, PAD, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


class Seq2SeqSize(Record, frozen=True):
    """Sizes and rates of a `CopyTransformer`."""

    vocabulary: int
    """v: with the special words."""
    kinds: int = 1
    """How many kinds of source tokens there are."""
    width: int = 256
    heads: int = 4
    inner: int = 1024
    encoder_layers: int = 4
    decoder_layers: int = 4
    dropout: float = 0.1
    word_dropout: float = 0.0
    """Share of tokens replaced by the unknown token in training; they can still be copied."""
    copy: bool = True
    """Whether source tokens can be copied; without, out-of-vocabulary tokens cannot be generated."""


class Seq2SeqPair(NamedTuple):
    """Source and target as token ids."""

    source: Sequence[int]
    kinds: Sequence[int]
    """One for each token of the source."""
    target: Sequence[int] = ()
    """Without the special words at begin and end."""

    @property
    def length(self) -> int:
        """Tokens of both: what batches are sorted by, and what speed is told in."""
        return len(self.source) + len(self.target)

    @property
    def said(self) -> int:
        """Target tokens, END included."""
        return len(self.target) + 1


class Seq2SeqBatch(NamedTuple):
    """Pairs padded to tensors of int64."""

    source: Tensor
    """(b, s): each row ends with END, so that no source is empty."""
    kinds: Tensor
    """(b, s)"""
    target: Tensor
    """(b, t): each row ends with END."""


class EncoderMemory(NamedTuple):
    """An encoded source."""

    source: Tensor
    """(b, s)"""
    states: Tensor
    """(b, s, d)"""
    keys: Tensor
    """(b, s, d): of the copy head; the states themselves without one."""
    bias: Tensor
    """(b, 1, 1, s)"""
    layers: tuple[Seen, ...]
    """For each decoder layer the keys and values of cross-attention."""
    extra: int
    """x: numbers beyond the vocabulary."""

    def pick(self, rows: Tensor) -> EncoderMemory:
        """Return these rows, in this order; a row may come several times."""
        first = [part.index_select(0, rows) for part in self[:4]]
        return EncoderMemory(
            first[0], first[1], first[2], first[3], tuple(one.pick(rows) for one in self.layers), self.extra
        )


class Seq2SeqState(NamedTuple):
    """Decoding state of `CopyTransformer.step`."""

    memory: EncoderMemory
    rows: Tensor
    """(m,): for each reply its row when the sources were encoded."""
    past: tuple[Seen, ...]
    """For each layer the cached keys and values; empty before the first token."""
    place: int
    """Tokens generated."""


def collate_seq2seq(pairs: Sequence[Seq2SeqPair]) -> Seq2SeqBatch:
    """Return pairs padded to a batch."""
    for pair in pairs:
        if len(pair.source) != len(pair.kinds):
            raise UsageError(f"a source has {len(pair.source)} tokens and {len(pair.kinds)} kinds; each token has one")
    return Seq2SeqBatch(
        padded([[*pair.source, END] for pair in pairs]),
        padded([[*pair.kinds, 0] for pair in pairs]),
        padded([[*pair.target, END] for pair in pairs]),
    )


class CopyTransformer(nn.Module):
    """Encoder, decoder and copy head; source, target and output embeddings are tied."""

    def __init__(self, size: Seq2SeqSize) -> None:
        super().__init__()
        d = size.width
        self.size = size
        self.words = nn.Embedding(size.vocabulary, d)
        self.kinds = nn.Embedding(size.kinds, d)
        nn.init.normal_(self.words.weight, std=d**-0.5)
        nn.init.normal_(self.kinds.weight, std=d**-0.5)
        self.positions = Positions(d)
        self.drop = Dropout(size.dropout)
        self.encoder = Encoder(size.encoder_layers, d, size.heads, size.inner, size.dropout)
        self.decoder = nn.ModuleList(
            Layer(d, size.heads, size.inner, size.dropout, crosses=True) for _ in range(size.decoder_layers)
        )
        self.norm = nn.LayerNorm(d)
        self.out_bias = nn.Parameter(torch.zeros(size.vocabulary))
        self.copy = CopyHead(d) if size.copy else None

    def forward(self, batch: Seq2SeqBatch) -> Tensor:
        """Return -ln P(target) of each row, (b,): the sum over its words and END."""
        return self.nll(self.encode(batch.source, batch.kinds), batch.target)

    def encode(self, source: Tensor, kinds: Tensor) -> EncoderMemory:
        """Return the memory of sources (b, s)."""
        mask = source != PAD
        x = self._read(source, 0) + self.kinds(kinds)
        states = self.encoder(self.drop(x), mask)
        keys = states if self.copy is None else self.copy.key(states)
        layers = tuple(cast("Layer", layer).remember(states) for layer in self.decoder)
        extra = max(0, int(source.max()) + 1 - self.size.vocabulary) if self.copy is not None else 0
        return EncoderMemory(source, states, keys, padding_bias(mask), layers, extra)

    def nll(self, memory: EncoderMemory, target: Tensor) -> Tensor:
        """Return -ln P of targets (b, t) to the sources of a memory, (b,); padding counts nothing."""
        before = functional.pad(target[:, :-1], (1, 0), value=BEGIN)  # (b, t)
        states, _ = self._decode(before, memory, (), 0)
        real = (target != PAD).flatten().nonzero().squeeze(1)  # (n,): the vocabulary is large, padding is left out
        rows = real // target.shape[1]
        states = states.flatten(0, 1)  # (b t, d)
        wanted = target.flatten()[real]
        logits = self._logits(states.index_select(0, real))  # (n, v)
        if self.copy is None:
            wanted = wanted.masked_fill(wanted >= self.size.vocabulary, UNKNOWN)
            losses = functional.cross_entropy(logits.float(), wanted, reduction="none")
        else:
            weights, gate = self.copy(states.view(*target.shape, -1), memory.states, memory.keys, memory.bias)
            weights = weights.flatten(0, 1).index_select(0, real)  # (b, t, s) -> (n, s)
            gate = gate.flatten().index_select(0, real)  # (n,)
            losses = -copy_log_likelihood(logits, weights, gate, memory.source[rows], wanted)
        summed: Tensor = losses.new_zeros(len(target)).index_add(0, rows, losses)
        return summed

    def start(self, memory: EncoderMemory) -> Seq2SeqState:
        """Return the initial decoding state of each source."""
        return Seq2SeqState(memory, torch.arange(len(memory.source), device=memory.source.device), (), 0)

    def step(self, said: Seq2SeqState, tokens: Tensor) -> tuple[Tensor, Seq2SeqState]:
        """Return ln P of each reply's next token, (m, v + x), after its last token `tokens` (m,), BEGIN at first."""
        states, past = self._decode(tokens.unsqueeze(1), said.memory, said.past, said.place)  # (m, 1, d)
        logits, memory = self._logits(states[:, 0]), said.memory
        following = Seq2SeqState(memory, said.rows, past, said.place + 1)
        if self.copy is None:
            return logits.float().log_softmax(-1), following
        weights, gate = self.copy(states, memory.states, memory.keys, memory.bias)  # (m, 1, s), (m, 1)
        return copy_distribution(logits, weights[:, 0], gate[:, 0], memory.source, memory.extra), following

    def pick(self, said: Seq2SeqState, rows: Tensor) -> Seq2SeqState:
        """Return the states of these replies, in this order; a reply may be continued in several ways."""
        of_source = said.rows.index_select(0, rows)
        same = torch.equal(of_source, said.rows)  # a beam changes places within its source: nothing to move there
        memory = said.memory if same else said.memory.pick(rows)
        return Seq2SeqState(memory, of_source, tuple(one.pick(rows) for one in said.past), said.place)

    def _read(self, tokens: Tensor, start: int) -> Tensor:
        """Return words (b, t, d) with their positions; words that the vocabulary lacks are read as unknown."""
        tokens = tokens.masked_fill(tokens >= self.size.vocabulary, UNKNOWN)
        if self.training and self.size.word_dropout:
            tokens = word_dropout(tokens, self.size.word_dropout)
        x: Tensor = self.positions(self.words(tokens) * math.sqrt(self.size.width), start)
        return x

    def _decode(
        self, tokens: Tensor, memory: EncoderMemory, past: tuple[Seen, ...], start: int
    ) -> tuple[Tensor, tuple[Seen, ...]]:
        """Return states (b, t, d) after tokens (b, t) that follow `past`, and the past that they make."""
        x = self.drop(self._read(tokens, start))
        bias = causal_bias(tokens.shape[1], tokens.device) if tokens.shape[1] > 1 else None
        seen = []
        for place, layer in enumerate(self.decoder):
            x, made = layer(
                x,
                bias,
                past=past[place] if past else None,
                memory=memory.layers[place],
                memory_bias=memory.bias,
            )
            seen.append(made)
        return self.norm(x), tuple(seen)

    def _logits(self, states: Tensor) -> Tensor:
        return functional.linear(states, self.words.weight, self.out_bias)
