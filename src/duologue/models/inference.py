"""Inference mode, and the number of threads that torch computes with, for a block of code."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator


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
