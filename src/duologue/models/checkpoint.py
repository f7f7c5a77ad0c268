"""Checkpoints of a training: written atomically, read only if their hash is right."""

from __future__ import annotations

import hashlib
import io
import pickle
from typing import IO, TYPE_CHECKING, Any

import torch

from duologue.core.disk import read_bytes, replacing, sha256
from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from pathlib import Path

_MARK = 64  # bytes of the SHA-256 behind the data


class _Hashed:
    """A file that is hashed as it is written: a large state is never held in memory twice."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self.sum = hashlib.sha256()
        self.refused: OSError | None = None
        """What the disk said first: the library tells it as a fault of its own."""

    def write(self, data: bytes) -> int:
        self.sum.update(data)
        try:
            self._raw.write(data)
        except OSError as error:
            self.refused = self.refused or error
            raise
        return len(data)

    def flush(self) -> None:
        self._raw.flush()


def save_checkpoint(state: dict[str, Any], path: Path) -> None:
    """Write tensors, numbers, text, lists and dicts under their names; the file appears when it is complete."""
    with replacing(path) as raw:
        hashed = _Hashed(raw)
        try:
            torch.save(state, hashed)  # type: ignore[arg-type]  # it only writes and flushes
        except RuntimeError:
            if hashed.refused is None:
                raise
            raise hashed.refused from None
        raw.write(hashed.sum.hexdigest().encode())


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Return what `save_checkpoint` wrote, on the CPU; raises `StorageError` when it is damaged or not there."""
    whole = memoryview(read_bytes(path))
    data, mark = whole[:-_MARK], whole[-_MARK:]
    if bytes(mark) != sha256(bytes(data)).encode():
        raise StorageError(f"{path}: the checkpoint is damaged; remove it to start afresh")
    try:
        saved: Any = torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
    except (
        pickle.UnpicklingError,
        RuntimeError,
        EOFError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
    ) as error:
        raise _not_written_here(path) from error
    if not isinstance(saved, dict):
        raise _not_written_here(path)
    return saved


def _not_written_here(path: Path) -> StorageError:
    return StorageError(f"{path}: the checkpoint was not written by this program; remove it to start afresh")
