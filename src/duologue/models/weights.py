"""Seeded initial weights, and weights on disk (safetensors, written atomically)."""

from __future__ import annotations

import re
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import safetensors
import safetensors.torch
import torch

from duologue.core.disk import guarded, read_bytes, temporary_folder, write_bytes
from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from torch import nn

Parts = TypeVar("Parts")
_SYSTEM_ERROR = re.compile(r"\(os error (\d+)\)")
"""How an error of the library that writes weights tells of one of the system."""


def torch_seed(number: int) -> int:
    """Return a seed as torch takes it, of any whole number: those below 2**63 stay as they are.

    >>> torch_seed(7), torch_seed(2**63 + 7)
    (7, 7)
    """
    return number & (2**63 - 1)


@contextmanager
def first_weights(seed: int) -> Iterator[None]:
    """Make modules in the block with the first weights of a seed; the chance of others is left alone.

    A layer without outputs is no fault: small data has none of the words that it would tell of.
    """
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Initializing zero-element tensors", UserWarning)
        torch.manual_seed(torch_seed(seed))
        yield


def save_weights(module: nn.Module, path: Path) -> None:
    """Write the weights of a module; equal weights give equal bytes."""
    tensors = {name: tensor.contiguous() for name, tensor in sorted(module.state_dict().items())}
    write_bytes(path, safetensors.torch.save(tensors))


@contextmanager
def saving(folder: Path) -> Iterator[Path]:
    """Give a folder to a library that saves files; they get into `folder` when the block ends without an error.

    What the disk refuses, which such libraries tell in their own ways, becomes a `StorageError`; then nothing that was
    begun is left.
    """
    with temporary_folder(beside=folder) as made, guarded("write", folder):
        try:
            yield made
        except safetensors.SafetensorError as error:
            number = _SYSTEM_ERROR.search(str(error))
            if number is None:
                raise
            raise OSError(int(number[1]), str(error)) from error
        folder.mkdir(exist_ok=True)
        for path in sorted(made.iterdir()):
            path.replace(folder / path.name)


def restored(build: Callable[[], Parts], networks: Callable[[Parts], Mapping[str, nn.Module]], folder: Path) -> Parts:
    """Return what `build` makes, with its networks (by their files in `folder`) filled and ready to answer.

    How large they are is told by a recipe and a card, which may be a stranger's. So they are built without memory
    first, and with it only where the files hold weights of these sizes. Raises `StorageError` as `load_weights` does.
    """
    with torch.device("meta"):
        measured = networks(build())
    for name, network in measured.items():
        _demand_shapes(network, _shapes_told(folder / name), folder / name)
    made = build()
    for name, network in networks(made).items():
        load_weights(network, folder / name)
        network.eval()
    return made


def load_weights(module: nn.Module, path: Path) -> None:
    """Fill a module with the weights of a file.

    Raises `StorageError` when there is no such file, it is damaged, holds what is no number, or belongs to another
    architecture.
    """
    data = read_bytes(path)
    try:
        tensors = safetensors.torch.load(data)
    except (safetensors.SafetensorError, RuntimeError) as error:
        raise _not_its_weights(path, str(error).splitlines()[0]) from error
    _demand_shapes(module, {name: tuple(tensor.shape) for name, tensor in tensors.items()}, path)
    odd = next((name for name, tensor in tensors.items() if not torch.isfinite(tensor).all()), None)
    if odd is not None:
        raise _not_its_weights(path, f"'{odd}' holds what is no number")
    try:
        module.load_state_dict(tensors)
    except RuntimeError as error:
        raise _not_its_weights(path, str(error).splitlines()[0]) from error


def shapes_in(path: Path) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the weights in a file, of which nothing else is read.

    What the library refuses is raised as it is.
    """
    with safetensors.safe_open(path, framework="pt") as file:
        names = file.keys()
        return {name: tuple(file.get_slice(name).get_shape()) for name in names}


def _shapes_told(path: Path) -> dict[str, tuple[int, ...]]:
    """Return the same of a file of ours. Raises `StorageError` for one that cannot be read."""
    with guarded("read", path), path.open("rb"):  # the library's own errors have no number
        pass
    try:
        return shapes_in(path)
    except safetensors.SafetensorError as error:
        raise _not_its_weights(path, str(error).splitlines()[0]) from error


def _demand_shapes(module: nn.Module, found: Mapping[str, tuple[int, ...]], path: Path) -> None:
    """Raise `StorageError` where weights are not, by name and shape, those that a module has."""
    wanted = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    for name in (*wanted, *found):
        if found.get(name) != wanted.get(name):
            told = f"'{name}': found {_shown(found.get(name))}, expected {_shown(wanted.get(name))}"
            raise _not_its_weights(path, told)


def _shown(shape: tuple[int, ...] | None) -> str:
    return "no such weights" if shape is None else "x".join(map(str, shape)) or "one number"


def _not_its_weights(path: Path, why: str) -> StorageError:
    return StorageError(f"{path} does not hold the weights of this model ({why}); train it again")
