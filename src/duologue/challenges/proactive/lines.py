"""Lines of text as Python's text mode reads them, a portion at a time: LF, CR LF and CR end a line.

Prediction and evaluation files have up to a million lines. They are kept as bytes and cut when they are gone
through, so that nothing but one portion is ever held as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PORTION = 1 << 20
"""Bytes that are decoded at once."""
SMALL = 8 << 20
"""Bytes of a file that is cut once and not each time."""


class Lines:
    r"""The lines of UTF-8 bytes, without their ends. A byte order mark stays: the official program keeps it.

    >>> list(Lines("one\r\ntwo\rthree".encode()))
    ['one', 'two', 'three']
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._cut: list[list[str]] | None = None

    def __iter__(self) -> Iterator[str]:
        """Go through the lines. Raises `UnicodeDecodeError` where the bytes are not UTF-8."""
        for portion in self.portions():
            yield from portion

    def portions(self) -> Iterator[list[str]]:
        """Yield the lines in portions of about a megabyte; those of a file up to `SMALL` are kept for the next time."""
        if len(self._data) > SMALL:
            return self._portions()
        if self._cut is None:
            self._cut = list(self._portions())
        return iter(self._cut)

    def _portions(self) -> Iterator[list[str]]:
        data, start = self._data, 0
        while start < len(data):
            end = len(data)
            if end - start > PORTION:
                end = data.find(b"\n", start + PORTION) + 1 or end
            text = data[start:end].decode("utf-8")
            if "\r" in text:
                text = text.replace("\r\n", "\n").replace("\r", "\n")
            lines = text.split("\n")
            if not lines[-1]:
                lines.pop()
            yield lines
            start = end
