"""Taggers of the pipeline: small ones over features of characters, or a fine-tuned encoder such as BERT.

Shapes: b turns, n characters, t = n + 2 tokens, d width, k labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from duologue.challenges.mobilecs.systems.tagger.char_features import encoded
from duologue.challenges.mobilecs.systems.tagger.network import (
    IGNORED,
    CharTagger,
    TaggedDocument,
    TaggedText,
    tag,
    tagger_task,
)
from duologue.models.blocks import Dropout
from duologue.models.devices import device_at_hand
from duologue.models.inference import inference
from duologue.models.train import TrainingTask
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

_TURNS = 16  # tagged at once


class EncoderOfCharacters(Protocol):
    """A pre-trained encoder (`duologue.models.pretrained.character_encoder`)."""

    width: int
    card: Any

    def numbers(self, text: str) -> NDArray[np.int32]:
        """Return the token of each character (n,)."""
        ...


class TaggedTurnBatch(NamedTuple):
    """Turns as tokens, padded at the end."""

    tokens: Tensor
    """(b, t)"""
    seen: Tensor
    """(b, t): 1 for real tokens."""
    labels: Tensor
    """(b, t), ignored where there is no character."""


class EncoderTagger(nn.Module):
    """A pre-trained encoder and one linear layer of labels."""

    def __init__(self, encoder: EncoderOfCharacters, labels: int, dropout: float, seed: int) -> None:
        super().__init__()
        self.encoder: Any = encoder
        self.dropout = Dropout(dropout)
        with first_weights(seed):
            self.heads = nn.Linear(encoder.width, labels)

    def forward(self, tokens: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Return the vectors and scores of tokens: (b, t) -> (b, t, d), (b, t, k)."""
        vectors = self.encoder(tokens, seen)
        return vectors, self.heads(self.dropout(vectors))

    def batch(self, rows: Sequence[TaggedDocument]) -> TaggedTurnBatch:
        """Return turns as tokens, with the marks that begin and end a text."""
        card, longest = self.encoder.card, max(len(row.features) for row in rows) + 2
        tokens = np.full((len(rows), longest), card.padding, dtype=np.int64)
        labels = np.full((len(rows), longest), IGNORED, dtype=np.int64)
        seen = np.zeros((len(rows), longest), dtype=np.int64)
        for place, row in enumerate(rows):
            size = len(row.features)
            tokens[place, : size + 2] = [card.begin, *row.features[:, 0], card.end]
            seen[place, : size + 2] = 1
            labels[place, 1 : size + 1] = row.labels[0]
        return TaggedTurnBatch(torch.from_numpy(tokens), torch.from_numpy(seen), torch.from_numpy(labels))

    def loss(self, batch: TaggedTurnBatch) -> Tensor:
        """Return the mean cross-entropy of all labels."""
        _, scores = self(batch.tokens, batch.seen)
        return functional.cross_entropy(scores.flatten(0, 1), batch.labels.flatten(), ignore_index=IGNORED)


TurnTagger = CharTagger | EncoderTagger


def features_of_text(tagger: TurnTagger, text: str) -> NDArray[np.int32]:
    """Return what a tagger reads of a text (n, f)."""
    return tagger.encoder.numbers(text)[:, None] if isinstance(tagger, EncoderTagger) else encoded(text)


def width_of(tagger: TurnTagger) -> int:
    """Return the numbers of a character's vector."""
    return int(tagger.encoder.width) if isinstance(tagger, EncoderTagger) else tagger.heads.in_features


def turn_tagger_task(tagger: TurnTagger) -> TrainingTask[TaggedDocument, Any]:
    """Return what `train` needs."""
    if not isinstance(tagger, EncoderTagger):
        return tagger_task(tagger)
    return TrainingTask(
        module=tagger, collate=tagger.batch, loss=tagger.loss, hits=None, length=_length, weight=_weight, tokens=_length
    )


def tag_turns(tagger: TurnTagger, documents: Sequence[NDArray[np.int32]]) -> list[TaggedText]:
    """Return what a tagger says of turns, given what it reads of them (n, f)."""
    if not isinstance(tagger, EncoderTagger):
        return tag(tagger, documents)
    found: list[TaggedText] = []
    device = tagger.heads.weight.device
    with inference(tagger):
        for start in range(0, len(documents), _TURNS):
            some = documents[start : start + _TURNS]
            batch = tagger.batch([TaggedDocument(one, np.zeros((1, len(one)), dtype=np.int64)) for one in some])
            vectors, scores = tagger(batch.tokens.to(device), batch.seen.to(device))
            told = scores.log_softmax(-1)
            for place, one in enumerate(some):
                chosen = slice(1, len(one) + 1)
                found.append(TaggedText(vectors[place, chosen].cpu().numpy(), (told[place, chosen].cpu().numpy(),)))
    return found


def place_tagger(tagger: TurnTagger, device: str) -> None:
    """Move a fine-tuned tagger to a GPU where one is asked for and there is one."""
    if isinstance(tagger, EncoderTagger):
        tagger.to(device_at_hand(device))


def _length(row: TaggedDocument) -> int:
    return len(row.features)


def _weight(row: TaggedDocument) -> float:
    return float(len(row.features))
