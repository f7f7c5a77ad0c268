"""Sets of integers larger than memory: their sizes and the sizes of their intersections.

Numbers are collected until they fill a run; a run is sorted and written to a file. To count, the range of numbers is
cut into stretches that fit into memory, which are gathered from all runs: memory is a few times `RUN` whatever their
number.
"""

from __future__ import annotations

from array import array
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    Numbers = NDArray[np.uint64]

RUN = 1 << 20
"""Numbers that are held."""
_ALL = 1 << 64


class Shared(NamedTuple):
    """What two sets have in common."""

    size: int
    some: frozenset[int]
    """A few of them, the smallest."""


class NumberSet:
    """A set of numbers of up to 64 bits, in a file that the caller's folder holds; read only when all are added."""

    def __init__(self, path: Path, *, run: int = RUN) -> None:
        self._path = path
        self._size = run
        self._held = array("Q")
        self._runs: list[int] = []
        """How many numbers each run has."""
        self._total: int | None = None

    def add(self, numbers: Iterable[int]) -> None:
        """Take numbers. Raises as `flush` does."""
        self._held.extend(numbers)
        if len(self._held) >= self._size:
            self.flush()

    def __len__(self) -> int:
        """Return how many different numbers there are."""
        if self._total is None:
            self.flush()
            self._total = sum(len(part) for part in self.stretches(self._pieces()))
        return self._total

    def common(self, other: NumberSet, limit: int = 0) -> Shared:
        """Return how many numbers both have, and up to `limit` of them."""
        self.flush()
        other.flush()
        pieces = self._pieces() + other._pieces()
        count, some = 0, set[int]()
        for one, two in zip(self.stretches(pieces), other.stretches(pieces), strict=True):
            both = np.intersect1d(one, two, assume_unique=True)
            count += len(both)
            some.update(both[: limit - len(some)].tolist() if len(some) < limit else ())
        return Shared(count, frozenset(some))

    def stretches(self, pieces: int) -> Iterator[Numbers]:
        """Yield the different numbers in so many pieces of equal ranges, sorted."""
        self.flush()
        edges = [_ALL * piece // pieces for piece in range(pieces + 1)]
        places = [self._places(run, edges) for run in range(len(self._runs))]
        for piece in range(pieces):
            found = [self._read(run, place[piece], place[piece + 1]) for run, place in enumerate(places)]
            yield _different(np.concatenate(found)) if found else np.empty(0, np.uint64)

    def _pieces(self) -> int:
        return max(-(-sum(self._runs) // self._size), 1)

    def flush(self) -> None:
        """Write what is held, so that it takes no memory. Raises `StorageError` when the disk is full."""
        if not self._held:
            return
        numbers = _different(np.array(self._held, np.uint64))
        try:
            with self._path.open("ab") as file:
                file.write(numbers.tobytes())
        except OSError as error:
            with suppress(OSError):
                self._path.unlink()
            raise StorageError(
                f"cannot write {self._path}: {error.strerror or error}; free some space, or set TMPDIR to a folder "
                "with more, and run the command again"
            ) from error
        self._runs.append(len(numbers))
        self._held, self._total = array("Q"), None

    def _places(self, run: int, edges: list[int]) -> list[int]:
        """Return for each edge how many numbers of a run lie below it."""
        numbers = self._read(run, 0, self._runs[run])
        inner = np.array(edges[1:-1], np.uint64)
        return [0, *np.searchsorted(numbers, inner).tolist(), len(numbers)]

    def _read(self, run: int, start: int, end: int) -> Numbers:
        first = sum(self._runs[:run]) + start
        with self._path.open("rb") as file:
            file.seek(8 * first)
            return np.frombuffer(file.read(8 * (end - start)), np.uint64)


def _different(numbers: Numbers) -> Numbers:
    """Return the numbers, sorted and each once; NumPy's `unique` takes several times the memory of a sort."""
    numbers.sort()
    return numbers[np.concatenate(([True], numbers[1:] != numbers[:-1]))] if len(numbers) else numbers
