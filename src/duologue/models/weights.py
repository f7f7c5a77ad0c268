"""Weights on disk: safetensors, written whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import safetensors
import safetensors.torch

from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from pathlib import Path

    from torch import nn


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
