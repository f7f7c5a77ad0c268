"""Rows of cells as lines of plain text whose columns stand below each other; wide characters take two places."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Sequence


def text_width(text: str) -> int:
    """Return how many places a text takes in a terminal.

    >>> text_width("流量 GB"), text_width("e\u0301")
    (7, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if category(sign) in {"Mn", "Me", "Cf"} else 2 if east_asian_width(sign) in {"W", "F"} else 1 for sign in text
    )


def aligned(rows: Sequence[Sequence[str]], right: Sequence[bool] = ()) -> list[str]:
    """Return rows of equal length as lines; `right` says which columns stand to the right, by default none.

    >>> aligned([["system", "n"], ["套餐", "10"]], [False, True])
    ['system   n', '套餐    10']
    """
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    sides = right or [False] * len(widths)
    return [
        "  ".join(
            " " * (width - text_width(cell)) + cell if on_right else cell + " " * (width - text_width(cell))
            for cell, width, on_right in zip(row, widths, sides, strict=True)
        ).rstrip()
        for row in rows
    ]
