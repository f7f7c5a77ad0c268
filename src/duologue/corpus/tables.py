"""Columns of packed texts and numbers, in memory and as Parquet: the only import of pyarrow.

Texts are kept packed, as one run of bytes and the ends of the texts in it: a million short sentences then take their
bytes and not a hundred more for each, and choosing, joining and writing them is one call.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from duologue.core.errors import FormatError, StorageError
from duologue.core.extras import need
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

_META = b"duologue"


class PackedTexts:
    """Texts as bytes, packed; n of them."""

    def __init__(self, array: Any) -> None:
        self._array = array
        """An arrow array of type binary or large_binary."""

    @classmethod
    def of(cls, data: bytes, lengths: NDArray[Any]) -> PackedTexts:
        """Return texts that follow one another in `data`; `lengths` (n,) are in bytes."""
        arrow: Any = need("pyarrow", "corpus")
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        buffers = [None, arrow.py_buffer(offsets), arrow.py_buffer(data)]
        return cls(arrow.Array.from_buffers(arrow.large_binary(), len(lengths), buffers))

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, part: slice) -> PackedTexts:
        return PackedTexts(self._array[part])

    def list(self) -> list[str]:
        """Return them as strings."""
        return [text.decode("utf-8") for text in self._array.to_pylist()]

    def chosen(self, places: NDArray[Any]) -> PackedTexts:
        """Return the texts at these places (integers), or for which it is true (booleans, (n,))."""
        arrow: Any = need("pyarrow", "corpus")
        if places.dtype == np.bool_:
            return PackedTexts(self._array.filter(arrow.array(places)))
        return PackedTexts(self._array.take(arrow.array(places)))

    def lengths(self) -> NDArray[np.int64]:
        """Return how many bytes each has."""
        return np.diff(self._offsets())

    def data(self) -> memoryview:
        """Return all texts after one another, with nothing between them."""
        offsets = self._offsets()
        return memoryview(self._array.buffers()[2] or b"")[int(offsets[0]) : int(offsets[-1])]

    def _offsets(self) -> NDArray[np.int64]:
        count = len(self._array) + 1
        if self._array.buffers()[1] is None or not self._array.buffers()[1].size:  # arrow needs none for no text
            return np.zeros(1, np.int64)
        return np.frombuffer(self._array.buffers()[1], np.int64)[self._array.offset : self._array.offset + count]


def joined(*pieces: PackedTexts | bytes) -> PackedTexts:
    """Return texts put together from texts of equal number and from what is the same for all.

    >>> a = PackedTexts.of(b"hiyes", np.array([2, 3]))
    >>> joined(b"U: ", a, b"!").list()
    ['U: hi!', 'U: yes!']
    """
    arrow: Any = need("pyarrow", "corpus")
    compute: Any = need("pyarrow.compute", "corpus")
    kind = arrow.large_binary()
    values = [piece._array if isinstance(piece, PackedTexts) else arrow.scalar(piece, kind) for piece in pieces]
    return PackedTexts(compute.binary_join_element_wise(*values, arrow.scalar(b"", kind)))


def stacked(parts: list[PackedTexts]) -> PackedTexts:
    """Return the texts of all parts, of which there is at least one."""
    arrow: Any = need("pyarrow", "corpus")
    return PackedTexts(arrow.concat_arrays([part._array for part in parts]))


class Table(NamedTuple):
    """Rows of a text and numbers."""

    texts: PackedTexts
    columns: dict[str, NDArray[Any]]
    meta: Any


def dump(texts: PackedTexts, columns: Mapping[str, NDArray[Any]], meta: Any) -> bytes:
    """Return the bytes of a Parquet file: column `text`, the columns of numbers, and `meta` as JSON.

    The texts must be UTF-8. The same rows give the same bytes with the same version of pyarrow.
    """
    arrow: Any = need("pyarrow", "corpus")
    parquet: Any = need("pyarrow.parquet", "corpus")
    text = texts._array.view(arrow.large_utf8())
    table = arrow.table({**columns, "text": text})
    table = table.replace_schema_metadata({_META: json.dumps(meta, separators=(",", ":"))})
    sink = arrow.BufferOutputStream()
    parquet.write_table(
        table, sink, compression="lz4", use_dictionary=list(columns), write_statistics=False, write_page_checksum=True
    )
    found: bytes = sink.getvalue().to_pybytes()
    return found


def load(path: Path, columns: tuple[str, ...]) -> Table:
    """Return the texts and some columns of a file of `dump`. Raises `StorageError` or `FormatError`."""
    arrow: Any = need("pyarrow", "corpus")
    parquet: Any = need("pyarrow.parquet", "corpus")
    with understood(path), path.open("rb") as source:  # pyarrow opens no path that is not UTF-8
        table = parquet.read_table(
            source, columns=[*columns, "text"], use_threads=False, partitioning=None, page_checksum_verification=True
        )
        if any(column.null_count for column in table.columns):
            raise ValueError("it holds nothing where a value is expected")
        meta = json.loads(table.schema.metadata[_META])
        chunks = [chunk.cast(arrow.large_utf8()).view(arrow.large_binary()) for chunk in table.column("text").chunks]
    return Table(
        PackedTexts(arrow.concat_arrays(chunks or [arrow.array([], arrow.large_binary())])),
        {name: table.column(name).to_numpy() for name in columns},
        meta,
    )


@contextmanager
def understood(path: Path) -> Iterator[None]:
    """Turn what pyarrow and the disk say, and what is said of values that no such file has, into our errors."""
    arrow: Any = need("pyarrow", "corpus")
    try:
        yield
    except FileNotFoundError as error:
        raise StorageError(f"cannot read {path}: there is no such file; extract the utterances again") from error
    except (
        arrow.ArrowException,
        msgspec.MsgspecError,
        KeyError,
        TypeError,
        ValueError,
        RecursionError,
        OSError,
    ) as error:
        problem = Problem(
            rule="not-utterances",
            message=f"this is no complete Parquet file of utterances ({error})",
            advice="delete it and run the extraction again",
        )
        raise FormatError(path, [problem]) from error


def notes(path: Path) -> Any:
    """Return the `meta` of a file of `dump` alone. Raises as `load` does."""
    parquet: Any = need("pyarrow.parquet", "corpus")
    with understood(path), path.open("rb") as source:
        return json.loads(parquet.read_schema(source).metadata[_META])
