"""Inference mode, and the number of threads that torch computes with, for a block of code; what no model may answer."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import torch

from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor


class Evaluable(Protocol):
    """A module of torch, as far as inference is concerned."""

    def eval(self) -> object:
        """Leave training mode."""
        ...


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Let torch compute with so many threads in the block."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def inference(model: Evaluable) -> Iterator[None]:
    """Put a model into inference mode in one thread: on a busy machine two threads wait for each other."""
    model.eval()
    with threads(1), torch.inference_mode():
        yield


def demand_numbers(figures: Tensor) -> None:
    """Raise `StorageError` where a model's figures are none: NaN goes before all numbers when the best are looked for.

    Weights that are numbers give such where they are too large.
    """
    if figures.isnan().any():
        raise StorageError(
            "what the model computes is no number: its weights are damaged; copy it again, or train it anew"
        )
