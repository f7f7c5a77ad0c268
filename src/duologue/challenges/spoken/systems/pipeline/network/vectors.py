"""Text encoder trained contrastively on pairs of texts, with in-batch negatives.

A text is the bag of its n-grams (numbers of a vocabulary); their mean goes through one layer and is set to length 1.
The loss is that of supervised SimCSE (Gao et al. 2021, equation 5 without hard negatives): a text must find its own
partner among all partners of the batch.

Shapes: b pairs, l n-grams of a text, d width.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from duologue.core.records import Record
from duologue.models.tokens import padded
from duologue.models.train import TrainingTask
from duologue.models.vocabulary import PAD
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


class VectorSize(Record, frozen=True):
    """Sizes and rates of `TextVectors`."""

    vocabulary: int
    """n-grams, with the special words of `duologue.models.vocabulary`."""
    width: int = 128
    dropout: float = 0.2
    temperature: float = 0.05
    """Temperature of the contrastive loss."""


class TextPair(NamedTuple):
    """A positive pair of texts as n-gram ids; equal partners are never each other's negatives."""

    text: Sequence[int]
    partner: Sequence[int]

    @property
    def length(self) -> int:
        """n-grams of both."""
        return len(self.text) + len(self.partner)


class TextPairs(NamedTuple):
    """Pairs padded to tensors of int64."""

    texts: Tensor
    """(b, l)"""
    partners: Tensor
    """(b, l')"""


def collate_texts(pairs: Sequence[TextPair]) -> TextPairs:
    """Return pairs padded to a batch."""
    return TextPairs(padded([pair.text for pair in pairs], least=1), padded([pair.partner for pair in pairs], least=1))


class TextVectors(nn.Module):
    """The encoder: `TextPairs` -> the loss of each pair, (b,)."""

    def __init__(self, size: VectorSize) -> None:
        super().__init__()
        self.size = size
        self.grams = nn.Embedding(size.vocabulary, size.width, padding_idx=PAD)
        self.drop = nn.Dropout(size.dropout)
        self.layer = nn.Linear(size.width, size.width)

    def encode(self, texts: Tensor) -> Tensor:
        """Return the vectors (b, d) of texts (b, l), of length 1."""
        mean = functional.embedding_bag(texts, self.grams.weight, mode="mean", padding_idx=PAD)  # (b, d)
        return functional.normalize(mean + torch.tanh(self.layer(self.drop(mean))), dim=1)

    def forward(self, batch: TextPairs) -> Tensor:
        """Return -ln P of each text's own partner among those of the batch, (b,)."""
        cosines = self.cosines(batch) / self.size.temperature
        return functional.cross_entropy(cosines, torch.arange(len(cosines)), reduction="none")

    def cosines(self, batch: TextPairs) -> Tensor:
        """Return the cosine of each text with each partner, (b, b); -inf where it is the own partner once more."""
        cosines = self.encode(batch.texts) @ self.encode(batch.partners).T
        same = (batch.partners.unsqueeze(1) == batch.partners.unsqueeze(0)).all(2)  # (b, b)
        again = same & ~torch.eye(len(cosines), dtype=torch.bool)
        return cosines.masked_fill(again, -torch.inf)


def new_vectors(size: VectorSize, seed: int) -> TextVectors:
    """Return an encoder with the initial weights of a seed; other random states are left alone."""
    with first_weights(seed):
        return TextVectors(size)


def vector_learner(model: TextVectors) -> TrainingTask[TextPair, TextPairs]:
    """Return what `train` needs; a pair is right when its partner is the nearest of its batch."""
    return TrainingTask(
        module=model,
        collate=collate_texts,
        loss=partial(_mean, model),
        hits=partial(_hits, model),
        length=_length,
    )


def vectors_of(model: TextVectors, texts: Sequence[Sequence[int]]) -> Tensor:
    """Return the vectors (b, d) of texts, made one by one: none depends on how long the others are."""
    model.eval()
    with torch.inference_mode():
        return torch.cat([model.encode(padded([text], least=1)) for text in texts])


def nearest(query: Tensor, vectors: Tensor) -> int:
    """Return which of the vectors (n, d) has the greatest cosine with a query (d,); of equals the first."""
    cosines = [round(value, 5) for value in (vectors @ query).tolist()]  # below that, the processor decides
    return max(range(len(cosines)), key=lambda place: (cosines[place], -place))


def _mean(model: TextVectors, batch: TextPairs) -> Tensor:
    loss: Tensor = model(batch).mean()
    return loss


def _hits(model: TextVectors, batch: TextPairs) -> Tensor:
    return (model.cosines(batch).argmax(1) == torch.arange(len(batch.texts))).float()


def _length(pair: TextPair) -> int:
    return pair.length
