"""Span tagger: a transformer encoder with a CRF over BIO tags.

Shapes: b rows, t tokens, d width, k tags. Tags are BIO (Ramshaw and Marcus 1995) by number: 0 is O, label i begins
with 2i + 1 (B) and goes on with 2i + 2 (I).
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn

from duologue.challenges.spoken.systems.pipeline.network.crf import CRF
from duologue.core.errors import UsageError
from duologue.core.records import Record
from duologue.models.blocks import Dropout, Encoder, Positions
from duologue.models.tokens import padded, word_dropout
from duologue.models.train import TrainingTask
from duologue.models.vocabulary import PAD
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


class TaggerSize(Record, frozen=True):
    """Sizes and rates of a `Tagger`."""

    vocabulary: int
    """With the special words of `duologue.models.vocabulary`."""
    labels: int
    """Kinds of spans; there are k = 2 labels + 1 tags."""
    width: int = 128
    heads: int = 4
    inner: int = 512
    layers: int = 3
    dropout: float = 0.1
    word_dropout: float = 0.0
    """Share of tokens replaced by the unknown token in training."""


class LabelledSpan(NamedTuple):
    """Tokens `start` to `end` (exclusive) that have a label."""

    start: int
    end: int
    label: int


class Tagged(NamedTuple):
    """A sequence of tokens, at least one, and its spans: in order, without overlap."""

    tokens: Sequence[int]
    spans: Sequence[LabelledSpan] = ()

    @property
    def length(self) -> int:
        """Number of tokens: what batches are sorted by."""
        return len(self.tokens)


class TagBatch(NamedTuple):
    """Sequences padded to tensors of int64, (b, t) each."""

    tokens: Tensor
    tags: Tensor


def tags_of(spans: Sequence[LabelledSpan], length: int) -> list[int]:
    """Return the BIO tags of so many tokens; raises `UsageError` for spans that are empty, outside, or overlap."""
    tags = [0] * length
    after = 0
    for span in spans:
        if not after <= span.start < span.end <= length:
            raise UsageError(f"{span} is empty, out of order, or outside of {length} tokens")
        after = span.end
        tags[span.start : span.end] = [2 * span.label + 1, *[2 * span.label + 2] * (span.end - span.start - 1)]
    return tags


def spans_of(tags: Sequence[int]) -> list[LabelledSpan]:
    """Return the spans of BIO tags; an I that continues nothing of its label begins a span."""
    spans: list[LabelledSpan] = []
    for place, tag in enumerate(tags):
        if tag == 0:
            continue
        label, goes_on = (tag - 1) // 2, tag % 2 == 0
        if goes_on and spans and spans[-1].end == place and spans[-1].label == label:
            spans[-1] = spans[-1]._replace(end=place + 1)
        else:
            spans.append(LabelledSpan(place, place + 1, label))
    return spans


def collate_tagged(rows: Sequence[Tagged]) -> TagBatch:
    """Return sequences padded to a batch; raises `UsageError` for one without tokens."""
    if not all(row.tokens for row in rows):
        raise UsageError("a sequence to be tagged has no tokens; leave it out")
    tags = [tags_of(row.spans, len(row.tokens)) for row in rows]  # O is 0, like the padding
    return TagBatch(padded([row.tokens for row in rows]), padded(tags))


class Tagger(nn.Module):
    """Transformer encoder with a CRF: `TagBatch` -> -ln P of its tags, (b,)."""

    def __init__(self, size: TaggerSize) -> None:
        super().__init__()
        k, d = 2 * size.labels + 1, size.width
        self.size = size
        self.words = nn.Embedding(size.vocabulary, d)
        nn.init.normal_(self.words.weight, std=d**-0.5)
        self.positions = Positions(d)
        self.drop = Dropout(size.dropout)
        self.encoder = Encoder(size.layers, d, size.heads, size.inner, size.dropout)
        self.emit = nn.Linear(d, k)
        tag = torch.arange(k)
        goes_on = (tag > 0) & (tag % 2 == 0)  # I may only follow B or I of its label
        allowed = ~goes_on | (((tag - 1) // 2 == ((tag - 1) // 2).unsqueeze(1)) & (tag > 0).unsqueeze(1))
        self.crf = CRF(k, allowed, ~goes_on)

    def forward(self, batch: TagBatch) -> Tensor:
        """Return -ln P of the tags of each row, (b,)."""
        loss: Tensor = self.crf(self.emissions(batch.tokens), batch.tags, batch.tokens != PAD)
        return loss

    def emissions(self, tokens: Tensor) -> Tensor:
        """Return the emission scores of each tag at each token, (b, t, k)."""
        read = tokens
        if self.training and self.size.word_dropout:
            read = word_dropout(tokens, self.size.word_dropout)
        x = self.positions(self.words(read) * math.sqrt(self.size.width))
        scores: Tensor = self.emit(self.encoder(self.drop(x), tokens != PAD))
        return scores

    def spans(self, rows: Sequence[Tagged]) -> list[list[LabelledSpan]]:
        """Return the most probable spans of each row; the row's own are not read."""
        self.eval()
        with torch.inference_mode():
            tokens = collate_tagged([row._replace(spans=()) for row in rows]).tokens
            best = self.crf.best(self.emissions(tokens), tokens != PAD)
        return [spans_of(tags) for tags in best]


def new_tagger(size: TaggerSize, seed: int) -> Tagger:
    """Return a tagger with the initial weights of a seed; other random states are left alone."""
    with first_weights(seed):
        return Tagger(size)


def tag_learner(model: Tagger) -> TrainingTask[Tagged, TagBatch]:
    """Return what `train` needs: the mean of -ln P of a sequence's tags; a sequence is right when all its tags are."""
    return TrainingTask(
        module=model,
        collate=collate_tagged,
        loss=partial(_mean, model),
        hits=partial(_hits, model),
        length=_length,
        tokens=_length,
    )


def _mean(model: Tagger, batch: TagBatch) -> Tensor:
    loss: Tensor = model(batch).mean()
    return loss


def _hits(model: Tagger, batch: TagBatch) -> Tensor:
    best = model.crf.best(model.emissions(batch.tokens), batch.tokens != PAD)
    tags = batch.tags.tolist()
    return torch.tensor([float(of_row == tags[row][: len(of_row)]) for row, of_row in enumerate(best)])


def _length(row: Tagged) -> int:
    return row.length
