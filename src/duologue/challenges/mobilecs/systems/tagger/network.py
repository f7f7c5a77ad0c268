"""The tagger's network: sums of feature embeddings, dilated convolutions, a linear layer for each layer of labels.

Documents are laid end to end with gaps as wide as the convolutions see, so that none sees another. With a memory of
repeats, a character also sees what stands around the same two characters elsewhere in its document: a name that one
place shows plainly is known in the others.

Letters in shapes: n characters with gaps, f features of a character, d width, k labels of a layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from duologue.challenges.mobilecs.systems.tagger.char_features import BIGRAMS, FEATURES, PER_CHARACTER
from duologue.challenges.mobilecs.systems.tagger.label_layer import OUTSIDE
from duologue.models.autograd import as_function
from duologue.models.blocks import Dropout
from duologue.models.inference import inference
from duologue.models.train import TrainingTask
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from duologue.challenges.mobilecs.systems.tagger.recipe import CharTaggerRecipe

DILATIONS = (1, 2, 4, 8)
GAP = sum(DILATIONS) + 1  # one for the convolution behind the memory
"""Rows between two documents."""
IGNORED = -100
"""Label of characters that do not count in training."""
TAUGHT_ROWS = 512
"""Batches of a training have a multiple of these rows: torch builds its products in bfloat16 anew for each new size,
which takes tens of milliseconds."""
_ROWS = 6_000  # characters tagged at once: more do not stay in the cache


class TaggedDocument(NamedTuple):
    """Features of a document (n, f), and its labels in each layer (layers, n)."""

    features: NDArray[np.int32]
    labels: NDArray[np.int64]


class DocumentBatch(NamedTuple):
    """Documents laid end to end."""

    features: Tensor
    """(n, f)"""
    labels: Tensor
    """(layers, n), what is ignored in gaps."""


class Repeats(NamedTuple):
    """Characters by a bigram of theirs, within their documents."""

    group: Tensor
    """That of each character (n,)."""
    groups: int
    others: Tensor
    """How many others are in its group (n, 1); 1 where none is, of which nothing is told."""
    any_other: Tensor
    """1 where there is another, else 0 (n, 1)."""


class RepeatMemory(nn.Module):
    """What is told of the same two characters elsewhere in the document, those before and those after: (n, d) each."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.told = nn.Linear(width, size)
        self.heard = nn.Linear(len(BIGRAMS) * size, width)

    def forward(self, x: Tensor, columns: Sequence[Repeats]) -> Tensor:
        """Return what each character hears; `columns` has the groups by each bigram column."""
        told = self.told(x).float()
        means = []
        for group, groups, others, any_other in columns:
            sums = torch.zeros((groups, told.shape[1])).index_add_(0, group, told)
            means.append(sums.index_select(0, group).sub_(told).div_(others).mul_(any_other))
        heard: Tensor = self.heard(torch.cat(means, 1)).relu_()
        return heard


def repeats(features: Tensor) -> list[Repeats]:
    """Return the groups of characters by each bigram column."""
    document = _documents(features[:, 0] > 0) * FEATURES
    found = []
    for column in BIGRAMS:
        _, group, sizes = torch.unique(document + features[:, column], return_inverse=True, return_counts=True)
        others, any_other = (one.float().unsqueeze(1) for one in ((sizes - 1).clamp(min=1), sizes > 1))
        found.append(Repeats(group, len(sizes), others.index_select(0, group), any_other.index_select(0, group)))
    return found


def _documents(real: Tensor) -> Tensor:
    """Return the number of the document that each row belongs to, from 0; a gap belongs to the one before it."""
    begins = real & ~functional.pad(real[:-1], (1, 0))
    return begins.cumsum(0) - 1


class CharEncoder(nn.Module):
    """Characters with their context as vectors: (n, f) -> (n, d)."""

    def __init__(self, embedding: int, width: int, *, dropout: float, feature_dropout: float, memory: int = 0) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(FEATURES, embedding, mode="sum")
        nn.init.zeros_(self.embedding.weight)  # what training never shows stays nothing
        self.widened = nn.Linear(embedding, width)
        self.convolutions = nn.ModuleList([nn.Linear(3 * width, width) for _ in DILATIONS])
        self.memory = RepeatMemory(width, memory) if memory else None
        self.last = nn.Linear(3 * width, width) if memory else None
        self.dropout = Dropout(dropout)
        self.feature_dropout = feature_dropout

    def forward(self, features: Tensor) -> Tensor:
        """Return the vectors of the characters; rows without features are gaps and stay zero."""
        real = (features[:, :1] > 0).to(self.embedding.weight.dtype)
        groups = repeats(features) if self.memory is not None else []
        if self.training and self.feature_dropout:
            features = features.masked_fill(torch.rand(features.shape) < self.feature_dropout, 0)
        x: Tensor = self.widened(self.embedding(features)) * real
        gaps = torch.nonzero(real[:, 0] == 0)[:, 0]
        for step, convolution in zip(DILATIONS, self.convolutions, strict=True):
            x = self._convolved(x, gaps, step, convolution)
        if self.memory is not None and self.last is not None:
            x = x + self.dropout(self.memory(x, groups)) * real
            x = self._convolved(x, gaps, 1, self.last)
        return x

    def _convolved(self, x: Tensor, gaps: Tensor, step: int, convolution: nn.Module) -> Tensor:
        """Return vectors (n, d) with what a convolution adds where no gap is; in answers without a copy of them."""
        assert isinstance(convolution, nn.Linear)
        if torch.is_grad_enabled() or torch.is_autocast_enabled("cpu"):
            kind = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else x.dtype
            return convolved(x, convolution.weight, convolution.bias, gaps, step, self.dropout, kind)
        return _neighbours(x, convolution.weight, convolution.bias, step).relu_().index_fill_(0, gaps, 0).add_(x)


class _Convolution(torch.autograd.Function):
    """Vectors with what a convolution of them adds, rectified and with dropout, as one step of autograd.

    Step by step it took one and a half times as long: each of them reads and writes all vectors.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, gaps: Tensor, step: int, dropout: Dropout, kind: torch.dtype
    ) -> Tensor:
        ctx.scale, ctx.step = 1.0, step
        halved, weight = x.to(kind), weight.to(kind)
        found = _neighbours(halved, weight, bias.to(kind), step).relu_()
        if dropout.training and dropout.rate:
            ctx.scale = 1 / (1 - dropout.rate)
            found.mul_(dropout.kept(found.shape).to(kind))
        found.index_fill_(0, gaps, 0)
        ctx.save_for_backward(halved, weight, found)
        return torch.add(x, found.to(x.dtype), alpha=ctx.scale)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        x, weight, found = ctx.saved_tensors
        of_found = torch.ops.aten.threshold_backward(grad.to(x.dtype), found, 0)
        before, here, after = torch.split(weight, len(weight), 1)
        of_x = of_found @ here
        of_x[: -ctx.step].addmm_(of_found[ctx.step :], before)
        of_x[ctx.step :].addmm_(of_found[: -ctx.step], after)
        of_weight = [
            of_found[ctx.step :].T @ x[: -ctx.step],
            of_found.T @ x,
            of_found[: -ctx.step].T @ x[ctx.step :],
        ]
        return (
            torch.add(grad, of_x.to(grad.dtype), alpha=ctx.scale),
            torch.cat(of_weight, 1).to(grad.dtype).mul_(ctx.scale),
            of_found.sum(0, dtype=grad.dtype).mul_(ctx.scale),
            *(None,) * 4,
        )


convolved = as_function(_Convolution)


def _neighbours(x: Tensor, weight: Tensor, bias: Tensor, step: int) -> Tensor:
    """Return the linear layer of what stands `step` before each vector, of itself, and of what stands behind."""
    before, here, after = torch.split(weight, len(weight), 1)
    found = torch.addmm(bias, x, here.T)
    found[step:].addmm_(x[:-step], before.T)
    found[:-step].addmm_(x[step:], after.T)
    return found


class CharTagger(nn.Module):
    """Encoder and one linear layer for each layer of labels."""

    def __init__(self, sizes: Sequence[int], recipe: CharTaggerRecipe) -> None:
        super().__init__()
        self.encoder = CharEncoder(
            recipe.embedding,
            recipe.width,
            dropout=recipe.dropout,
            feature_dropout=recipe.feature_dropout,
            memory=recipe.memory,
        )
        self.sizes = list(sizes)
        self.heads = nn.Linear(recipe.width, sum(sizes))

    def forward(self, features: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Return the vectors of characters and the scores of each layer of labels: (n, f) -> (n, d), (n, k) each."""
        vectors = self.encoder(features)
        scores: Tensor = self.heads(vectors)
        return vectors, torch.split(scores, self.sizes, 1)


def new_tagger(sizes: Sequence[int], recipe: CharTaggerRecipe, seed: int) -> CharTagger:
    """Return an untrained tagger for layers of so many labels."""
    with first_weights(seed):
        return CharTagger(sizes, recipe)


def laid_out(features: Sequence[NDArray[np.int32]], multiple: int = 1) -> tuple[Tensor, list[int]]:
    """Return the features of documents end to end with gaps around them, and where each document begins.

    There are a `multiple` of rows: the last gap is as long as it takes.
    """
    gap = np.zeros((GAP, PER_CHARACTER), dtype=np.int32)
    starts, place = [], GAP
    pieces = [gap]
    for one in features:
        starts.append(place)
        pieces += (one, gap)
        place += len(one) + GAP
    pieces.append(np.zeros((-place % multiple, PER_CHARACTER), dtype=np.int32))
    return torch.from_numpy(np.concatenate(pieces)), starts


def collate(rows: Sequence[TaggedDocument]) -> DocumentBatch:
    """Return documents end to end."""
    features, starts = laid_out([row.features for row in rows], TAUGHT_ROWS)
    labels = np.full((len(rows[0].labels), len(features)), IGNORED, dtype=np.int64)
    for start, row in zip(starts, rows, strict=True):
        labels[:, start : start + len(row.features)] = row.labels
    return DocumentBatch(features, torch.from_numpy(labels))


def agreement(batch: DocumentBatch, said: Tensor) -> Tensor:
    """Return how far labels (layers, n) are those of the batch, for each document (documents,), from 0 to 1.

    It is the share of equal labels among the characters that either has in a span; 0 in documents that have no span, so
    that a tagger that says nothing agrees with none. Unlike the loss it does not punish a tagger for being sure where
    the annotation of a noisy corpus is by chance another one.
    """
    real = batch.features[:, 0] > 0
    document = _documents(real)
    counts = (batch.labels != IGNORED) & ((batch.labels != OUTSIDE) | (said != OUTSIDE))
    equal = counts & (batch.labels == said)
    nothing = torch.zeros(int(document[-1]) + 1)
    document = document.clamp(min=0)  # the gap before the first
    both, either = (nothing.index_add(0, document, one.sum(0).float()) for one in (equal, counts))
    return both / either.clamp(min=1)


def tagger_task(tagger: CharTagger) -> TrainingTask[TaggedDocument, DocumentBatch]:
    """Return what `train` needs: the loss is the mean cross-entropy of all labels, right is what `agreement` says."""

    def loss(batch: DocumentBatch) -> Tensor:
        _, scores = tagger(batch.features)
        losses = [
            functional.cross_entropy(one, labels, ignore_index=IGNORED)
            for one, labels in zip(scores, batch.labels, strict=True)
        ]
        return torch.stack(losses).sum()

    def hits(batch: DocumentBatch) -> Tensor:
        _, scores = tagger(batch.features)
        return agreement(batch, torch.stack([one.argmax(1) for one in scores]))

    return TrainingTask(
        module=tagger, collate=collate, loss=loss, hits=hits, length=_length, weight=_weight, tokens=_length
    )


def _length(row: TaggedDocument) -> int:
    return len(row.features)


def _weight(row: TaggedDocument) -> float:
    return float(len(row.features))


class TaggedText(NamedTuple):
    """What a tagger says of a document."""

    vectors: NDArray[np.float32]
    """Vectors of its characters (n, d)."""
    layers: tuple[NDArray[np.float32], ...]
    """Log probabilities of the labels of each layer (n, k)."""


def tag(tagger: CharTagger, documents: Sequence[NDArray[np.int32]]) -> list[TaggedText]:
    """Return what a tagger says of documents, given their features (n, f)."""
    found: list[TaggedText] = []
    with inference(tagger):
        for part in _parts(documents):
            features, starts = laid_out(part)
            vectors, scores = tagger(features)
            known = vectors.numpy()
            layers = [one.log_softmax(1).numpy() for one in scores]
            places = [slice(start, start + len(one)) for start, one in zip(starts, part, strict=True)]
            found += [TaggedText(known[place], tuple(layer[place] for layer in layers)) for place in places]
    return found


def _parts(documents: Sequence[NDArray[np.int32]]) -> list[list[NDArray[np.int32]]]:
    """Return documents in parts of a bounded size."""
    parts: list[list[NDArray[np.int32]]] = [[]]
    rows = 0
    for one in documents:
        if parts[-1] and rows + len(one) > _ROWS:
            parts.append([])
            rows = 0
        parts[-1].append(one)
        rows += len(one) + GAP
    return parts
