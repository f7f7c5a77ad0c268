"""Several devices at one training: one process each, every step's examples shared among them (torch's DDP).

The process that was asked is the first of the team and starts the others; all read the same examples, make the same
batches and come to the same decisions, since what they decide by is summed over the team first.
"""

from __future__ import annotations

import multiprocessing
import pickle
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import distributed, nn

from duologue.core.errors import UsageError
from duologue.core.interrupts import leave_stops_to_the_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from torch import Tensor

T = TypeVar("T")
_PATIENCE = 30.0  # seconds in which a helper must have ended after the work is done


class Team:
    """Who works at a training: this process is number `rank` of `size`; alone it is 0 of 1."""

    def __init__(self, rank: int = 0, size: int = 1, device: str = "cpu") -> None:
        self.rank, self.size = rank, size
        self.device = torch.device(device, rank) if device == "cuda" else torch.device(device)

    def share(self, rows: Sequence[T]) -> Sequence[T]:
        """Return this process's part of the examples of a step; the parts are as equal as can be."""
        return rows[self.rank :: self.size]

    def total(self, numbers: Sequence[float]) -> list[float]:
        """Return the sums over the team; every process must ask."""
        if self.size == 1:
            return list(numbers)
        summed = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        distributed.all_reduce(summed)
        return summed.tolist()

    def wrapped(self, module: nn.Module, loss: Callable[[Any], Tensor], *, in_stages: bool) -> Callable[[Any], Tensor]:
        """Return the loss such that its gradient is the mean over the team.

        A model that learns `in_stages` may leave weights without gradient, which has to be looked for.
        """
        if self.size == 1:
            return loss
        places = [self.device.index] if self.device.type == "cuda" else None
        return nn.parallel.DistributedDataParallel(
            _Loss(module, loss), device_ids=places, find_unused_parameters=in_stages
        )


class _Loss(nn.Module):
    """A loss as a module, since DDP watches the forward pass of one."""

    def __init__(self, module: nn.Module, loss: Callable[[Any], Tensor]) -> None:
        super().__init__()
        self.module, self.loss = module, loss

    def forward(self, batch: Any) -> Tensor:
        return self.loss(batch)


def on_device(batch: Any, device: torch.device) -> Any:
    """Return a batch (tensors in tuples, lists and dicts) with its tensors on the device; others stay as they are."""
    if isinstance(batch, torch.Tensor):
        return batch.to(device)
    if isinstance(batch, tuple):
        moved = [on_device(one, device) for one in batch]
        return type(batch)(*moved) if hasattr(batch, "_fields") else tuple(moved)
    if isinstance(batch, list):
        return [on_device(one, device) for one in batch]
    if isinstance(batch, dict):
        return {name: on_device(one, device) for name, one in batch.items()}
    return batch


@contextmanager
def team_of(size: int, device: str, work: Callable[..., object], *arguments: Any) -> Iterator[Team]:
    """Start the helpers, which call `work(team, *arguments)`, and yield the first place of the team.

    Everything travels by pickle: a loss or collate function must be a function of a module, a bound method or a
    `functools.partial` of one, no lambda. Raises `UsageError` when it cannot travel or there are too few devices.
    """
    if device == "cuda" and torch.cuda.device_count() < size:
        raise UsageError(f"{size} CUDA devices are asked for, found {torch.cuda.device_count()}")
    if size == 1:
        yield Team(device=device)
        return
    try:
        parcel = pickle.dumps((work, arguments))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(f"training on {size} devices needs a subject that can be pickled ({error})") from error
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder, "meeting"))
        context = multiprocessing.get_context("spawn")  # a forked process cannot use CUDA, nor threads safely
        helpers = [
            context.Process(target=_help, args=(parcel, rank, size, device, place), daemon=True)
            for rank in range(1, size)
        ]
        for helper in helpers:
            helper.start()
        try:
            with _joined(0, size, device, place) as team:
                yield team
            for helper in helpers:
                helper.join(_PATIENCE)
        finally:
            for helper in helpers:
                helper.terminate()
                helper.join()


def _help(parcel: bytes, rank: int, size: int, device: str, place: str) -> None:
    leave_stops_to_the_parent()
    work, arguments = pickle.loads(parcel)  # noqa: S301  # the parent process packed it
    with _joined(rank, size, device, place) as team:
        work(team, *arguments)


@contextmanager
def _joined(rank: int, size: int, device: str, place: str) -> Iterator[Team]:
    distributed.init_process_group(
        "nccl" if device == "cuda" else "gloo", init_method=f"file://{place}", rank=rank, world_size=size
    )
    try:
        yield Team(rank, size, device)
    finally:
        distributed.destroy_process_group()
