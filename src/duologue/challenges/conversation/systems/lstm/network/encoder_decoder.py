"""The baseline of the conversation challenge: LSTM encoder and decoder, whose state is carried from turn to turn.

Letters: b talks, t tokens of a text, n tokens of all replies with their ends, l layers, h numbers of a state, e numbers
of a word, v words. Sections are those of the specification of the challenge; sizes are those of its section 9.

Numbers of words are those of `duologue.models.words`. END stands at both ends of a reply: it is what the decoder hears
first. PAD and BEGIN are never read nor said; the published vocabulary had no such words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec
import torch
from torch import nn

from duologue.challenges.conversation.systems.lstm.network.layers import Lstm, State, join_states
from duologue.core.records import Record
from duologue.models.entropy import entropy
from duologue.models.recurrent import Packed, pack
from duologue.models.words import END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

Carry = Literal["encoder", "decoder"]
"""Whose last state a turn hands to the encoder of the next."""

Numbers = tuple[int, ...]
Positive = Annotated[int, msgspec.Meta(ge=1)]


class EncDecSize(Record, frozen=True):
    """Sizes of an `EncDec`; the defaults are those that were published."""

    vocabulary: Annotated[int, msgspec.Meta(ge=4)] = 20_002
    """v, with the four special words (the published 20,000 hold two)."""
    words: Positive = 100
    """e"""
    hidden: Positive = 512
    """h"""
    layers: Positive = 2
    dropout: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.5
    """Share of a layer's output that the next layer does not see in training."""
    spread: Annotated[float, msgspec.Meta(gt=0)] = 0.1
    """First weights are drawn evenly from -spread to spread, all of them."""
    carry_training: Carry = "encoder"
    """In training; the released program carries the encoder's here and the decoder's everywhere else."""
    carry_answering: Carry = "decoder"
    """In validation and when answering."""


class Turned(NamedTuple):
    """A turn as numbers."""

    heard: Numbers
    """At least one word."""
    said: Numbers = ()
    """Without its ends."""


class Replies(NamedTuple):
    """What a decoder hears and what it should say."""

    before: Packed
    """END and the words of each reply."""
    wanted: Tensor
    """The words of each reply and END, laid as `before` is (n,)."""


class Part(NamedTuple):
    """One turn of several talks: those talks of a batch that have so many turns."""

    heard: Packed
    replies: Replies


class TalkBatch(NamedTuple):
    """Talks turn by turn; those of more turns stand first in each part."""

    parts: list[Part]
    replies: Replies
    """All replies at once: part after part."""


def collate_talks(talks: Sequence[Sequence[Turned]]) -> TalkBatch:
    """Return talks of at least one turn each as a batch."""
    ordered = sorted(talks, key=len, reverse=True)
    turns = [[talk[place] for talk in ordered if len(talk) > place] for place in range(len(ordered[0]))]
    parts = [Part(pack([turn.heard for turn in here]), _replies(here)) for here in turns]
    return TalkBatch(parts, _replies([turn for here in turns for turn in here]))


def _replies(turns: Sequence[Turned]) -> Replies:
    return Replies(pack([(END, *turn.said) for turn in turns]), pack([(*turn.said, END) for turn in turns]).tokens)


class EncDec(nn.Module):
    """Two stacks of LSTM layers with tables of words of their own, and no attention."""

    def __init__(self, size: EncDecSize) -> None:
        super().__init__()
        v, e, h = size.vocabulary, size.words, size.hidden
        self.size = size
        self.heard_words = nn.Embedding(v, e)
        self.said_words = nn.Embedding(v, e)
        self.encoder = Lstm(e, h, size.layers, size.dropout)
        self.decoder = Lstm(e, h, size.layers, size.dropout)
        self.narrow = nn.Linear(h, e)  # no non-linearity follows (section 9)
        self.out = nn.Linear(e, v)
        for weight in self.parameters():
            nn.init.uniform_(weight, -size.spread, size.spread)

    def forward(self, batch: TalkBatch) -> Tensor:
        """Return the mean of -ln P over the words of all replies, their ends included.

        States are carried from turn to turn, gradients are not: they are cut after each turn (section 9).
        """
        carry = self.size.carry_training if self.training else self.size.carry_answering
        state: State | None = None
        starts, told = [], []
        for part in batch.parts:
            state = self.read(part.heard, None if state is None else state.first(len(part.heard.order)))
            if carry == "decoder":
                of_part, state = self.speak(part.replies.before, state)
                told.append(of_part)
            else:
                starts.append(state)
        wanted = torch.cat([part.replies.wanted for part in batch.parts])  # (n,)
        if starts:  # what is said does not matter to later turns: all replies at once
            told, wanted = [self.speak(batch.replies.before, join_states(starts))[0]], batch.replies.wanted
        hidden = self.narrow(torch.cat(told))  # (n, e)
        shares = hidden.new_full((len(wanted),), 1 / len(wanted))
        return entropy(hidden, self.out.weight, self.out.bias, wanted, shares, hidden.dtype).loss

    def read(self, heard: Packed, state: State | None) -> State:
        """Return the encoder's state after the texts of b talks; `None`: they begin here."""
        return _swept(self.encoder, self.heard_words, heard, state)[1]

    def speak(self, before: Packed, state: State) -> tuple[Tensor, State]:
        """Return the decoder's numbers after each word (n, h), laid as the words are, and its state at the end."""
        return _swept(self.decoder, self.said_words, before, state)

    def step(self, said: State, tokens: Tensor) -> tuple[Tensor, State]:
        """Return ln P of each reply's next word, (m, v), after its last word `tokens` (m,): END at first."""
        told, after = self.decoder(self.said_words(tokens), (len(tokens),), said)
        logits = self.out(self.narrow(told))  # (m, v)
        return logits.log_softmax(-1), after

    def pick(self, said: State, rows: Tensor) -> State:
        """Return these replies, in this order; a reply may go on in several ways."""
        return said.pick(rows)


def _swept(layers: Lstm, words: nn.Embedding, texts: Packed, state: State | None) -> tuple[Tensor, State]:
    """Return what layers give after each word (n, h), and their state after each text, in the order given (l, b, h)."""
    start = None if state is None else state.pick(texts.order)
    told, after = layers(words(texts.tokens), texts.sizes, start)
    return told, after.pick(texts.order.argsort())
