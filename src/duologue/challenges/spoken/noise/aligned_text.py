"""A text under change that remembers where each of its characters comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Stretch = tuple[int, int]
"""Start and end of a part of a text, in characters, end exclusive."""


class AlignedText:
    """The characters of a text, each with its place in the original; what was put in has none.

    >>> text = Traced("你好吗")
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
        """Put a character that nobody said before the one at a place."""
        self._signs.insert(at, (sign, -1))

    def repeat(self, at: int) -> None:
        """Say a character twice; both come from the same place."""
        self._signs.insert(at, self._signs[at])

    def delete(self, at: int) -> None:
        """Leave a character out."""
        del self._signs[at]

    def replace(self, at: int, sign: str) -> None:
        """Write another character in the place of one."""
        self._signs[at] = sign, self._signs[at][1]

    def swap(self, start: int, middle: int, end: int) -> None:
        """Let two neighbouring stretches change places."""
        self._signs[start:end] = self._signs[middle:end] + self._signs[start:middle]

    def keep(self, wanted: Callable[[str], bool]) -> None:
        """Leave out the characters that are not wanted."""
        self._signs = [pair for pair in self._signs if wanted(pair[0])]

    def carry(self, stretches: Sequence[Stretch]) -> list[Stretch]:
        """Return where stretches of the original are now, from their first character to their last.

        Of a stretch torn apart what stands between is part of it. One that is lost altogether is empty, and stands
        where it would be.
        """
        found = []
        for start, end in stretches:
            places = [at for at, (_, origin) in enumerate(self._signs) if start <= origin < end]
            if places:
                found.append((places[0], places[-1] + 1))
            else:
                before = sum(1 for _, origin in self._signs if 0 <= origin < start)
                found.append((min(before, len(self._signs)),) * 2)
        return found
