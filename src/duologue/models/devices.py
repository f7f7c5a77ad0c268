"""Devices that a recipe asks for: one that is asked for and not there is told, never replaced unseen."""

from __future__ import annotations

import torch

from duologue.core.errors import UsageError

CUDA = "cuda"


def demand_devices(device: str, count: int) -> None:
    """Raise `UsageError` where a recipe asks for more GPUs than torch can use."""
    found = torch.cuda.device_count() if device == CUDA else count
    if found >= count:
        return
    if count == 1:
        raise UsageError("--set device=cuda: expected a GPU, found none that torch can use; give --set device=cpu")
    raise UsageError(
        f"--set device=cuda, --set devices={count}: expected as many GPUs, found {found} that torch can use; give "
        f"--set device=cpu, or fewer devices"
    )


def device_at_hand(device: str) -> torch.device:
    """Return where a trained model answers: where it was trained, or the CPU of a machine that has no GPU."""
    return torch.device("cpu" if device == CUDA and not torch.cuda.is_available() else device)
