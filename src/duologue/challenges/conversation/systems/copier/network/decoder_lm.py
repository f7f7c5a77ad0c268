"""A transformer that reads a talk word by word, replies included, and can copy any word that stands in it.

Letters: b talks, t words of a talk, m replies, s words of what a reply can look back at, n words to be said in all
talks, d width, v vocabulary, x unknown words of a talk.

All replies of a talk are learned in one pass: each word looks back at all words before it. A reply begins with BEGIN
and ends with END; other turns are their words alone. Numbers of words are those of `duologue.models.words`: from v on
they mean unknown words of the talk. Equations: See et al. 2017 (copying), as in `blocks`.
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
from duologue.models.words import BEGIN, END, PAD, SPECIAL, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

USER, SYSTEM = 0, 1
"""Who says a word."""


class TalkerSize(Record, frozen=True):
    """Sizes and rates of a `Talker`."""

    vocabulary: int
    """v: with the special words."""
    places: int = 512
    """Words of a talk that are told apart by their place; later ones are like the last."""
    width: int = 160
    heads: int = 4
    inner: int = 640
    layers: int = 4
    dropout: float = 0.1
    word_dropout: float = 0.0
    """Share of words read as the unknown word in training; they can be copied all the same."""


class Told(NamedTuple):
    """A talk, or the last turns of one, as numbers; one of each for every word."""

    words: Sequence[int]
    speakers: Sequence[int]
    """`USER` or `SYSTEM`."""
    wanted: Sequence[int] = ()
    """What should be said after each word; PAD where nothing is. Empty in a talk that is to be answered."""


class TalkBatch(NamedTuple):
    """Talks padded to tensors of int64, each (b, t)."""

    words: Tensor
    speakers: Tensor
    wanted: Tensor


class Heard(NamedTuple):
    """All that the next word of each reply looks back at: the state of `Talker.step`."""

    words: Tensor
    """(m, s)"""
    states: Tensor
    """(m, s, d)"""
    keys: Tensor
    """(m, s, d): of the copy head."""
    bias: Tensor
    """(m, 1, 1, s): what keeps padding out of sight."""
    layers: tuple[Seen, ...]
    places: Tensor
    """(m,): where the next word stands."""
    extra: int
    """x"""


def reply_told(words: Sequence[int], known: set[int], vocabulary: int) -> Told:
    """Return a reply as a part of a talk: BEGIN, its words and END, each wanted after the one before.

    A word that neither the vocabulary has nor `known`, the words before it, cannot be said: the unknown word stands for
    it among what is wanted.
    """
    seen, wanted = set(known), []
    for word in words:
        wanted.append(word if word < vocabulary or word in seen else UNKNOWN)
        seen.add(word)
    return Told([BEGIN, *words, END], [SYSTEM] * (len(words) + 2), [*wanted, END, PAD])


def collate_talks(talks: Sequence[Told]) -> TalkBatch:
    """Return talks padded to a batch; those that are to be answered want nothing."""
    return TalkBatch(
        _padded([talk.words for talk in talks]),
        _padded([talk.speakers for talk in talks]),
        _padded([talk.wanted or [PAD] * len(talk.words) for talk in talks]),
    )


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    longest = max(map(len, rows), default=0)
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows], dtype=torch.int64)


class Talker(nn.Module):
    """One stack of layers and a copy head; one table of words serves input and output (weights are tied)."""

    sines: Tensor

    def __init__(self, size: TalkerSize) -> None:
        super().__init__()
        d = size.width
        self.size = size
        self.words = nn.Embedding(size.vocabulary, d)
        self.speakers = nn.Embedding(2, d)
        nn.init.normal_(self.words.weight, std=d**-0.5)
        nn.init.normal_(self.speakers.weight, std=d**-0.5)
        self.register_buffer("sines", sinusoids(size.places, d), persistent=False)
        self.drop = Dropout(size.dropout)
        self.layers = nn.ModuleList(Layer(d, size.heads, size.inner, size.dropout) for _ in range(size.layers))
        self.norm = nn.LayerNorm(d)
        self.out_bias = nn.Parameter(torch.zeros(size.vocabulary))
        self.copy = CopyHead(d)

    def forward(self, batch: TalkBatch) -> Tensor:
        """Return the mean of -ln P over what is wanted in a batch, a scalar."""
        words = batch.words
        bias = causal_bias(words.shape[1], words.device)  # padding stands behind: no word looks at it
        places = torch.arange(words.shape[1], device=words.device).expand_as(words)
        states, _ = self._states(self._read(words, batch.speakers, places), bias, None)  # (b, t, d)
        weights, gate = self.copy(states, states, self.copy.key(states), bias)  # (b, t, t), (b, t)
        real = (batch.wanted != PAD).flatten().nonzero().squeeze(1)  # (n,): the vocabulary is large
        logits = self._logits(states.flatten(0, 1).index_select(0, real))  # (b t, d) -> (n, v)
        weights = weights.flatten(0, 1).index_select(0, real)  # (b t, t) -> (n, t)
        gate = gate.flatten().index_select(0, real)  # (n,)
        source = words.index_select(0, real // words.shape[1])  # (n, t)
        return -copy_log_likelihood(logits, weights, gate, source, batch.wanted.flatten()[real]).mean()

    def hear(self, batch: TalkBatch) -> Heard:
        """Return what replies to talks look back at; a talk has at least one word."""
        words, device = batch.words, batch.words.device
        real = words != PAD  # (m, s)
        places = torch.arange(words.shape[1], device=device).expand_as(words)
        x = self._read(words, batch.speakers, places)
        states, layers = self._states(x, causal_bias(words.shape[1], device), None)
        extra = max(0, int(words.max()) + 1 - self.size.vocabulary)
        return Heard(words, states, self.copy.key(states), padding_bias(real), layers, real.sum(1), extra)

    def step(self, said: Heard, tokens: Tensor) -> tuple[Tensor, Heard]:
        """Return ln P of each reply's next word, (m, v + x), after its last word `tokens` (m,): BEGIN at first."""
        x = self._read(tokens.unsqueeze(1), torch.full_like(tokens, SYSTEM).unsqueeze(1), said.places.unsqueeze(1))
        bias = functional.pad(said.bias, (0, 1))  # (m, 1, 1, s + 1)
        states, layers = self._states(x, bias, said.layers)  # (m, 1, d)
        following = Heard(
            torch.cat([said.words, tokens.unsqueeze(1)], 1),
            torch.cat([said.states, states], 1),
            torch.cat([said.keys, self.copy.key(states)], 1),
            bias,
            layers,
            said.places + 1,
            said.extra,
        )
        weights, gate = self.copy(states, following.states, following.keys, bias)  # (m, 1, s + 1), (m, 1)
        log_p = copy_distribution(self._logits(states[:, 0]), weights[:, 0], gate[:, 0], following.words, said.extra)
        return log_p, following

    def pick(self, said: Heard, rows: Tensor) -> Heard:
        """Return these replies, in this order; a reply may go on in several ways."""
        if len(rows) == len(said.words) and torch.equal(rows, torch.arange(len(rows), device=rows.device)):
            return said
        first = [part.index_select(0, rows) for part in said[:4]]
        layers = tuple(one.pick(rows) for one in said.layers)
        return Heard(first[0], first[1], first[2], first[3], layers, said.places.index_select(0, rows), said.extra)

    def _read(self, words: Tensor, speakers: Tensor, places: Tensor) -> Tensor:
        """Return words (b, t, d) with their speakers and places; what the vocabulary lacks is read as unknown."""
        words = words.masked_fill(words >= self.size.vocabulary, UNKNOWN)
        if self.training and self.size.word_dropout:
            lost = torch.rand(words.shape, device=words.device) < self.size.word_dropout
            words = words.masked_fill(lost & (words >= len(SPECIAL)), UNKNOWN)
        at = self.sines[places.clamp(max=self.size.places - 1)]  # (b, t, d)
        x: Tensor = self.drop(self.words(words) * math.sqrt(self.size.width) + self.speakers(speakers) + at)
        return x

    def _states(self, x: Tensor, bias: Tensor, past: tuple[Seen, ...] | None) -> tuple[Tensor, tuple[Seen, ...]]:
        """Return words (b, t, d) read in what stands before them, and what later words look back at."""
        seen = []
        for place, layer in enumerate(self.layers):
            x, made = layer(x, bias, past=None if past is None else past[place])
            seen.append(made)
        return self.norm(x), tuple(seen)

    def _logits(self, states: Tensor) -> Tensor:
        return functional.linear(states, self.words.weight, self.out_bias)
