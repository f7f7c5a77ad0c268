"""What the networks of all rankers share: padding, bags of words as tensors, training objective and inference.

Shapes: b rows, c candidates, u distinct bags, w words of all of them.
"""

from __future__ import annotations

from itertools import accumulate, chain
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np
import torch
from torch.nn import functional

from duologue.models.inference import inference
from duologue.models.train import TrainConfig, TrainingTask, train

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor, nn

    from duologue.core.protocols import Run
    from duologue.models.training_recipe import TrainingRecipe

Ints = np.ndarray[tuple[int, ...], np.dtype[np.int32]]
Whole = np.ndarray[tuple[int, ...], np.dtype[np.signedinteger]]
Mask = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


class Lengthy(Protocol):
    """A row, as far as the order of batches is concerned."""

    @property
    def length(self) -> int:
        """What batches are sorted by."""
        ...


class Targeted(Protocol):
    """A batch, as far as its right answers are concerned."""

    @property
    def targets(self) -> Tensor:
        """(b,): the right candidates; -1 when not known."""
        ...


class WithModel(Protocol):
    """Parts of a ranker, as far as what is saved is concerned."""

    @property
    def model(self) -> nn.Module:
        """Its network."""
        ...


class Bags(NamedTuple):
    """Distinct bags of words, one after the other, as `nn.EmbeddingBag` takes them."""

    words: Tensor
    """(w,): token numbers."""
    starts: Tensor
    """(u,): place of the first word of each bag."""


Row = TypeVar("Row", bound=Lengthy)
Batch = TypeVar("Batch", bound=Targeted)


def padded(arrays: Sequence[Ints], *, least: int) -> tuple[Ints, Mask]:
    """Return the arrays stacked with zeros behind them, and the mask (rows, longest) of what is real."""
    longest = max(least, *(len(array) for array in arrays))
    out = np.zeros((len(arrays), longest, *arrays[0].shape[1:]), np.int32)
    mask = np.zeros((len(arrays), longest), bool)
    for number, array in enumerate(arrays):
        out[number, : len(array)] = array
        mask[number, : len(array)] = True
    return out, mask


def whole(array: Whole) -> Tensor:
    """Return whole numbers as a tensor of int64."""
    return torch.from_numpy(np.ascontiguousarray(array, np.int64))


def bags_of(numbers: Whole, table: Sequence[Sequence[int]]) -> tuple[Tensor, Bags]:
    """Return which of the distinct bags each number is, in the shape of `numbers`, and these bags."""
    used, index = np.unique(numbers, return_inverse=True)
    bags = [table[number] for number in used]
    starts = [0, *accumulate(map(len, bags))][:-1]
    words = torch.tensor(list(chain.from_iterable(bags)), dtype=torch.int64)
    return whole(index.reshape(numbers.shape)), Bags(words, torch.tensor(starts, dtype=torch.int64))


def ranking_task(module: nn.Module, collate: Callable[[Sequence[Row]], Batch]) -> TrainingTask[Row, Batch]:
    """Return what `train` needs: cross-entropy of the right candidate among those of its row."""

    def loss(batch: Batch) -> Tensor:
        return functional.cross_entropy(module(batch), batch.targets)

    def hits(batch: Batch) -> Tensor:
        right: Tensor = module(batch).argmax(1) == batch.targets
        return right.float()

    return TrainingTask(module=module, collate=collate, loss=loss, hits=hits, length=lambda row: row.length)


def train_ranker(
    module: nn.Module,
    collate: Callable[[Sequence[Row]], Batch],
    rows: Sequence[Row],
    held_out: Sequence[Row],
    recipe: TrainingRecipe,
    run: Run,
) -> None:
    """Train a network to score the right candidate of each row the highest; rows held out choose the epoch."""
    train(ranking_task(module, collate), rows, held_out, TrainConfig.of(recipe, fused=True), run)


def scores(module: nn.Module, batch: Targeted, candidates: Sequence[int]) -> list[list[float]]:
    """Return the score of every candidate of every row, the higher the better, given their numbers per row.

    Runs on one thread: a second one gains little on so small a network and slows a busy machine down.
    """
    with inference(module):
        scored = module(batch).tolist()
    return [of_row[:count] for of_row, count in zip(scored, candidates, strict=True)]
