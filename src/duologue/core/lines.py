"""Lines of text files as Python's text mode reads them, in portions: LF, CR LF and CR end a line.

Result files have up to ten million lines. They are cut anew each time they are gone through, so that nothing but one
portion is ever held; only small files are kept cut.
"""

from __future__ import annotations

import hashlib
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from duologue.core import disk
from duologue.core.disk import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Lines:
    r"""The lines of UTF-8 text, without their ends. A byte order mark stays, since official programs keep it.

    Going through them raises `FormatError` with the line where bytes are no UTF-8 or gzip data is damaged, and
    `StorageError` when the file cannot be read.

    >>> list(Lines("one\r\ntwo\rthree".encode()))
    ['one', 'two', 'three']
    """

    def __init__(self, source: Source | bytes, *, unmarked: bool = False) -> None:
        """Take what the bytes hold; with `unmarked` a byte order mark is left out."""
        self._source = Source.of(source) if isinstance(source, bytes) else source
        self._unmarked = unmarked
        self._cut: list[list[str]] | None = None
        self._total: int | None = None

    @property
    def marked(self) -> bool:
        """Whether the bytes start with a byte order mark."""
        start = next(self._source.pieces(), b"")
        return start.startswith(BOM_UTF8)

    def __iter__(self) -> Iterator[str]:
        """Go through the lines."""
        for portion in self.portions():
            yield from portion

    def __len__(self) -> int:
        """Return how many lines there are; the first to ask may have to wait until they are counted."""
        if self._total is None:
            self._total = sum(map(len, self.portions()))
        return self._total

    def portions(self) -> Iterator[list[str]]:
        """Yield the lines in portions of a quarter of a megabyte; those of a small file are kept for the next time."""
        if not self._source.held:
            return self._portions()
        if self._cut is None:
            self._cut = list(self._portions())
        return iter(self._cut)

    def _portions(self) -> Iterator[list[str]]:
        lines = size = total = 0
        for data in _whole_lines(self._source.pieces()):
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError as error:
                disk.refuse_bytes(self._source.path, error, lines=lines, size=size)
            if self._unmarked and not size:
                text = text.removeprefix(disk.BOM)
            lines += data.count(b"\n")
            size += len(data)
            portion = cut(text)
            total += len(portion)
            yield portion
        self._total = total


def _whole_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield pieces that end where a line ends; one line is never cut, however long, nor is CR LF."""
    rest: list[bytes] = []
    for piece in pieces:
        end = piece.rfind(b"\n") + 1
        if not end and rest and rest[-1].endswith(b"\r"):
            yield b"".join(rest)
            rest = []
        end = end or piece.rfind(b"\r", 0, len(piece) - 1) + 1
        if end:
            yield b"".join([*rest, piece[:end]])
            rest = []
        rest.append(piece[end:])
    if any(rest):
        yield b"".join(rest)


def cut(text: str) -> list[str]:
    r"""Return the lines of a text as Python's text files give them: LF, CR LF and CR end a line, nothing else does.

    >>> cut("a\r\nb\u2028c\n")
    ['a', 'b\u2028c']
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def sha256(source: Source) -> str:
    """Return the SHA-256 of the unpacked bytes in hexadecimal. Raises as `Source.pieces` does."""
    digest = hashlib.sha256()
    for piece in source.pieces():
        digest.update(piece)
    return digest.hexdigest()


def read(path: Path) -> Lines:
    """Return the lines of a file. Raises as `Source` does."""
    return Lines(Source(path))
