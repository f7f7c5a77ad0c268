"""A text under edit whose characters stay aligned with the original."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Stretch = tuple[int, int]
"""Start and end of a span, in characters, end exclusive."""


class AlignedText:
    """The characters of a text, each with its position in the original; inserted ones have none.

    >>> text = AlignedText("你好吗")
    >>> text.repeat(1)
    >>> text.insert(0, "额")
    >>> str(text), text.carry([(1, 2)])
    ('额你好好吗', [(2, 4)])
    """

    def __init__(self, text: str) -> None:
        self._signs: list[tuple[str, int]] = [(sign, at) for at, sign in enumerate(text)]

    def __str__(self) -> str:
        return "".join(sign for sign, _ in self._signs)

    def __len__(self) -> int:
        return len(self._signs)

    def insert(self, at: int, sign: str) -> None:
        """Insert a new character before a position."""
        self._signs.insert(at, (sign, -1))

    def insert_text(self, at: int, text: str) -> None:
        """Insert new characters before a position."""
        self._signs[at:at] = [(sign, -1) for sign in text]

    def rewrite(self, start: int, end: int, text: str) -> None:
        """Write a span of at least one character anew; what stands for it belongs to what the span belonged to."""
        origins = [origin for _, origin in self._signs[start:end]]
        self._signs[start:end] = [(sign, origins[min(at, len(origins) - 1)]) for at, sign in enumerate(text)]

    def cut(self, start: int, end: int) -> None:
        """Delete a span."""
        del self._signs[start:end]

    def repeat(self, at: int) -> None:
        """Repeat a character; both are aligned with the same position."""
        self._signs.insert(at, self._signs[at])

    def delete(self, at: int) -> None:
        """Delete a character."""
        del self._signs[at]

    def replace(self, at: int, sign: str) -> None:
        """Replace a character by another."""
        self._signs[at] = sign, self._signs[at][1]

    def swap(self, start: int, middle: int, end: int) -> None:
        """Swap two neighbouring spans."""
        self._signs[start:end] = self._signs[middle:end] + self._signs[start:middle]

    def keep(self, wanted: Callable[[str], bool]) -> None:
        """Keep the characters for which `wanted` holds."""
        self._signs = [pair for pair in self._signs if wanted(pair[0])]

    def carry(self, stretches: Sequence[Stretch]) -> list[Stretch]:
        """Return spans of the original in the edited text, from their first character to their last.

        A span torn apart includes what now stands between. A span that was deleted is empty, at the place where it
        would be.
        """
        if not stretches:
            return []
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for at, (_, origin) in enumerate(self._signs):
            first.setdefault(origin, at)
            last[origin] = at
        origins = sorted(origin for _, origin in self._signs if origin >= 0)
        found = []
        for start, end in stretches:
            inside = [origin for origin in range(start, end) if origin in first]
            if inside:
                found.append((min(map(first.__getitem__, inside)), max(map(last.__getitem__, inside)) + 1))
            else:
                found.append((bisect_left(origins, start),) * 2)
        return found
