"""Seeded initial weights, and weights on disk (safetensors, written atomically)."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import safetensors
import safetensors.torch
import torch

from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from torch import nn


def torch_seed(number: int) -> int:
    """Return a seed as torch takes it, of any whole number: those below 2**63 stay as they are.

    >>> torch_seed(7), torch_seed(2**63 + 7)
    (7, 7)
    """
    return number & (2**63 - 1)


@contextmanager
def first_weights(seed: int) -> Iterator[None]:
    """Make modules in the block with the first weights of a seed; the chance of others is left alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(seed))
        yield


def save_weights(module: nn.Module, path: Path) -> None:
    """Write the weights of a module; equal weights give equal bytes."""
    tensors = {name: tensor.contiguous() for name, tensor in sorted(module.state_dict().items())}
    write_bytes(path, safetensors.torch.save(tensors))


def load_weights(module: nn.Module, path: Path) -> None:
    """Fill a module with the weights of a file.

    Raises `StorageError` when there is no such file, it is damaged, or it belongs to another architecture.
    """
    data = read_bytes(path)
    try:
        module.load_state_dict(safetensors.torch.load(data))
    except (safetensors.SafetensorError, RuntimeError) as error:
        first = str(error).splitlines()[0]
        raise StorageError(f"{path} does not hold the weights of this model ({first}); train it again") from error
