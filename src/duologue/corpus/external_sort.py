"""External merge sort: texts sorted by an integer key when they do not fit into memory.

Texts are collected until they fill a run; a run is sorted and appended to files. At the end the range of keys is cut
into ranges that fit into memory, and each is merged from all runs. Every text is written and read once, and
memory is a few times `RUN` whatever their number.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, NamedTuple, Self

import numpy as np

from duologue.core import disk
from duologue.corpus.tables import PackedTexts, stacked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from numpy.typing import NDArray

RUN = 16 << 20
"""Bytes of text in a run."""
_EACH = 12
"""Bytes beside each text: its key and its length."""


class _Run(NamedTuple):
    """A sorted run: where it begins in the files, and how much it is."""

    rows_before: int
    bytes_before: int
    rows: int


class ExternalSorter:
    """Texts with a key each (64 bits, all different), in files of a folder that are removed at the end."""

    def __init__(self, folder: Path, *, run: int = RUN) -> None:
        self._folder = folder
        self._size = run
        self._keys: list[NDArray[np.int64]] = []
        self._texts: list[PackedTexts] = []
        self._held = 0
        self._runs: list[_Run] = []
        self._rows = self._bytes = 0
        self._files: dict[str, IO[bytes]] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with disk.guarded("write to", self._folder), ExitStack() as opened:
            self._folder.mkdir(parents=True, exist_ok=True)
            for name in ("keys", "lengths", "texts"):
                path = self._folder / f"sorted.{name}"
                self._files[name] = path.open("wb+")
                opened.callback(disk.discard, self._files[name], path)
            self._stack = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def add(self, keys: NDArray[np.int64], texts: PackedTexts) -> None:
        """Take texts with their keys. Raises `StorageError` when the disk is full."""
        self._keys.append(keys)
        self._texts.append(texts)
        self._held += len(texts.data()) + _EACH * len(keys)
        if self._held >= self._size:
            self._flush()

    def _flush(self) -> None:
        if not self._held:
            return
        keys, texts = np.concatenate(self._keys), stacked(self._texts)
        order = np.argsort(keys)
        texts = texts.chosen(order)
        lengths = texts.lengths().astype(np.int32)
        self._runs.append(_Run(self._rows, self._bytes, len(keys)))
        with disk.guarded("write to", self._folder):
            self._files["keys"].write(keys[order].tobytes())
            self._files["lengths"].write(lengths.tobytes())
            self._files["texts"].write(texts.data())
            for file in self._files.values():  # not in the middle of reading, where nobody would say which file it is
                file.flush()
        self._rows += len(keys)
        self._bytes += len(texts.data())
        self._keys, self._texts, self._held = [], [], 0

    def sorted(self, low: int, high: int) -> Iterator[memoryview]:
        """Yield the texts with keys from `low` to below `high` in the order of their keys, after one another."""
        self._flush()
        sizes = [self._between(run, np.array([low, high])) for run in self._runs]
        total = sum(int(place[1, 1] - place[0, 1]) for place in sizes)
        pieces = max(-(-total // self._size), 1)
        edges = np.array([low + (high - low) * piece // pieces for piece in range(pieces + 1)])
        places = [self._between(run, edges) for run in self._runs]  # per run (edges, 2): row and byte
        for piece in range(pieces):
            keys, texts = [], []
            for run, place in zip(self._runs, places, strict=True):
                (row, byte), (row_end, byte_end) = place[piece].tolist(), place[piece + 1].tolist()
                if row_end > row:
                    keys.append(self._numbers("keys", np.dtype(np.int64), run.rows_before + row, row_end - row))
                    lengths = self._numbers("lengths", np.dtype(np.int32), run.rows_before + row, row_end - row)
                    texts.append(PackedTexts.of(self._read("texts", run.bytes_before + byte, byte_end - byte), lengths))
            if keys:
                yield stacked(texts).chosen(np.argsort(np.concatenate(keys))).data()

    def _between(self, run: _Run, edges: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each edge how many texts of the run, and bytes of these, lie below it."""
        keys = self._numbers("keys", np.dtype(np.int64), run.rows_before, run.rows)
        lengths = self._numbers("lengths", np.dtype(np.int32), run.rows_before, run.rows)
        rows = np.searchsorted(keys, edges)
        ends = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))
        return np.stack((rows, ends[rows]), axis=1)

    def _numbers(
        self, name: str, kind: np.dtype[np.int64] | np.dtype[np.int32], start: int, n: int
    ) -> NDArray[np.int64]:
        return np.frombuffer(self._read(name, start * kind.itemsize, n * kind.itemsize), kind)

    def _read(self, name: str, start: int, size: int) -> bytes:
        file = self._files[name]
        file.seek(start)
        return file.read(size)
