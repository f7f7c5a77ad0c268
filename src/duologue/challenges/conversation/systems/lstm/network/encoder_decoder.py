"""LSTM encoder-decoder whose recurrent state is carried across turns (specification, section 9).

Shapes: B dialogues, T tokens of an utterance, N tokens of all replies with END, L layers, H hidden size, E embedding
size, V vocabulary.

END is both the start and the end token of a reply, as in the released program. PAD and BEGIN are never read nor
generated; the published vocabulary has no such tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec
import torch
from torch import nn

from duologue.challenges.conversation.systems.lstm.network.layers import Lstm, LstmState, join_states
from duologue.core.bounds import Dropout, Positive, PositiveFloat, Stacked
from duologue.core.records import Record
from duologue.models.entropy import entropy
from duologue.models.recurrent import Packed, pack
from duologue.models.vocabulary import END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

Carry = Literal["encoder", "decoder"]
"""Whose final state initialises the encoder of the next turn."""

TokenIds = tuple[int, ...]


class EncoderDecoderConfig(Record, frozen=True):
    """Sizes of an `EncoderDecoder`; the defaults are the published ones."""

    vocabulary: Annotated[int, msgspec.Meta(ge=4)] = 20_002
    """V, four special tokens included (the published 20,000 include two)."""
    words: Positive = 100
    """E"""
    hidden: Positive = 512
    """H"""
    layers: Stacked = 2
    dropout: Dropout = 0.5
    """Dropout between layers."""
    spread: PositiveFloat = 0.1
    """All weights are initialised uniformly in [-spread, spread]."""
    carry_training: Carry = "encoder"
    """In training; released program: the encoder's."""
    carry_answering: Carry = "decoder"
    """In validation and inference; released program: the decoder's."""


class EncodedTurn(NamedTuple):
    """A user utterance and its reply as token ids."""

    source: TokenIds
    """User utterance: at least one token."""
    target: TokenIds = ()
    """Reply, without END."""


class ReplyBatch(NamedTuple):
    """Decoder inputs and targets (teacher forcing)."""

    before: Packed
    """END, then the tokens of each reply."""
    wanted: Tensor
    """The tokens of each reply, then END, packed as `before` (N,)."""


class TurnBatch(NamedTuple):
    """The same turn of all dialogues of a batch that have it."""

    source: Packed
    replies: ReplyBatch


class DialogueBatch(NamedTuple):
    """A batch of dialogues turn by turn, dialogues with more turns first."""

    parts: list[TurnBatch]
    replies: ReplyBatch
    """All replies of all turns, turn after turn."""


def collate_dialogues(dialogues: Sequence[Sequence[EncodedTurn]]) -> DialogueBatch:
    """Batch dialogues of at least one turn each."""
    ordered = sorted(dialogues, key=len, reverse=True)
    turns = [[dialogue[place] for dialogue in ordered if len(dialogue) > place] for place in range(len(ordered[0]))]
    parts = [TurnBatch(pack([turn.source for turn in here]), _replies(here)) for here in turns]
    return DialogueBatch(parts, _replies([turn for here in turns for turn in here]))


def _replies(turns: Sequence[EncodedTurn]) -> ReplyBatch:
    return ReplyBatch(
        pack([(END, *turn.target) for turn in turns]), pack([(*turn.target, END) for turn in turns]).tokens
    )


class EncoderDecoder(nn.Module):
    """Stacked LSTM encoder and decoder with separate embeddings and without attention."""

    def __init__(self, size: EncoderDecoderConfig) -> None:
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

    def forward(self, batch: DialogueBatch, precision: torch.dtype = torch.float32) -> Tensor:
        """Return the mean negative log-likelihood over the tokens of all replies, END included.

        States are carried across turns, gradients are truncated after each turn (section 9). Matrix products are in
        `precision`, states and sums in float32.
        """
        carry = self.size.carry_training if self.training else self.size.carry_answering
        state: LstmState | None = None
        starts, outputs = [], []
        for part in batch.parts:
            before = None if state is None else state.first(len(part.source.order))
            state = self.read(part.source, before, precision)
            if carry == "decoder":
                of_part, state = self.speak(part.replies.before, state, precision)
                outputs.append(of_part)
            else:
                starts.append(state)
        wanted = torch.cat([part.replies.wanted for part in batch.parts])  # (N,)
        if starts:  # later turns do not depend on replies: decode all at once
            outputs = [self.speak(batch.replies.before, join_states(starts), precision)[0]]
            wanted = batch.replies.wanted
        hidden = self.narrow(torch.cat(outputs))  # (N, E)
        shares = hidden.new_full((len(wanted),), 1 / len(wanted))
        return entropy(hidden, self.out.weight, self.out.bias, wanted, shares, precision, best=False).loss

    def read(self, source: Packed, state: LstmState | None, precision: torch.dtype = torch.float32) -> LstmState:
        """Encode the utterances of B dialogues from the carried state; `None` at the first turn."""
        return _run(self.encoder, self.heard_words, source, state, precision)[1]

    def speak(
        self, before: Packed, state: LstmState, precision: torch.dtype = torch.float32
    ) -> tuple[Tensor, LstmState]:
        """Return the decoder's outputs (N, H), packed as its inputs, and its final state."""
        return _run(self.decoder, self.said_words, before, state, precision)

    def step(self, said: LstmState, tokens: Tensor) -> tuple[Tensor, LstmState]:
        """Return ln P of the next token, (M, V), after the last tokens `tokens` (M,): END at first."""
        outputs, after = self.decoder(self.said_words(tokens), (len(tokens),), said)
        logits = self.out(self.narrow(outputs))  # (M, V)
        return logits.log_softmax(-1), after

    def pick(self, said: LstmState, rows: Tensor) -> LstmState:
        """Return the hypotheses `rows`, in this order; a row may occur several times."""
        return said.pick(rows)


def _run(
    layers: Lstm, words: nn.Embedding, texts: Packed, state: LstmState | None, precision: torch.dtype
) -> tuple[Tensor, LstmState]:
    """Return the outputs (N, H) of an LSTM over packed texts, and its final states (L, B, H) in the given order."""
    start = None if state is None else state.pick(texts.order)
    outputs, after = layers(words(texts.tokens), texts.sizes, start, precision)
    return outputs, after.pick(texts.order.argsort())
