"""Data-parallel training: one process per device, each step's examples split among them (torch's DDP).

The calling process has rank 0 and starts the others; all read the same examples, make the same batches and take the
same decisions, since the numbers they decide by are summed over the group first.
"""

from __future__ import annotations

import multiprocessing
import pickle
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import distributed, nn

from duologue.core.disk import temporary_folder
from duologue.core.errors import UsageError
from duologue.core.interrupts import leave_stops_to_the_parent
from duologue.models.devices import CUDA, demand_devices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from torch import Tensor

T = TypeVar("T")
_PATIENCE = 30.0  # seconds in which a helper must have ended after the work is done


class ProcessGroup:
    """The processes of a training: this one has `rank` of `size`; a single process is 0 of 1."""

    def __init__(self, rank: int = 0, size: int = 1, device: str = "cpu") -> None:
        self.rank, self.size = rank, size
        self.device = torch.device(device, rank) if device == CUDA else torch.device(device)

    def share(self, rows: Sequence[T]) -> Sequence[T]:
        """Return this process's share of the examples of a step; shares differ by at most one example."""
        return rows[self.rank :: self.size]

    def total(self, numbers: Sequence[float]) -> list[float]:
        """Return the sums over all processes (all-reduce); every process must call it."""
        if self.size == 1:
            return list(numbers)
        summed = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        distributed.all_reduce(summed)
        return summed.tolist()

    def wrapped(self, module: nn.Module, loss: Callable[[Any], Tensor], *, in_stages: bool) -> Callable[[Any], Tensor]:
        """Return the loss such that its gradient is the mean over all processes.

        A model that learns `in_stages` may leave weights without gradient, which DDP then has to look for.
        """
        if self.size == 1:
            return loss
        places = [self.device.index] if self.device.type == CUDA else None
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
def process_group(size: int, device: str, work: Callable[..., object], *arguments: Any) -> Iterator[ProcessGroup]:
    """Start the other processes, which call `work(group, *arguments)`, and yield the group of rank 0.

    Everything travels by pickle: a loss or collate function must be a function of a module, a bound method or a
    `functools.partial` of one, no lambda. Raises `UsageError` when it cannot travel or there are too few devices.
    """
    demand_devices(device, size)
    if size == 1:
        yield ProcessGroup(device=device)
        return
    try:
        parcel = pickle.dumps((work, arguments))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(f"training on {size} devices needs a training task that can be pickled ({error})") from error
    with temporary_folder() as folder:
        place = str(folder / "meeting")
        context = multiprocessing.get_context("spawn")  # a forked process cannot use CUDA, nor threads safely
        helpers = [
            context.Process(target=_help, args=(parcel, rank, size, device, place), daemon=True)
            for rank in range(1, size)
        ]
        for helper in helpers:
            helper.start()
        try:
            with _joined(0, size, device, place) as group:
                yield group
            for helper in helpers:
                helper.join(_PATIENCE)
        finally:
            for helper in helpers:
                helper.terminate()
                helper.join()


def _help(parcel: bytes, rank: int, size: int, device: str, place: str) -> None:
    leave_stops_to_the_parent()
    work, arguments = pickle.loads(parcel)  # noqa: S301  # the parent process packed it
    with _joined(rank, size, device, place) as group:
        work(group, *arguments)


@contextmanager
def _joined(rank: int, size: int, device: str, place: str) -> Iterator[ProcessGroup]:
    distributed.init_process_group(
        "nccl" if device == CUDA else "gloo", init_method=f"file://{place}", rank=rank, world_size=size
    )
    try:
        yield ProcessGroup(rank, size, device)
    finally:
        distributed.destroy_process_group()
