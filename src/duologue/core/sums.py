"""Sums of floats that are the same on every Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def added(values: Iterable[float]) -> float:
    """Return the sum of values, added one after another and rounded each time.

    Python's `sum` does so up to 3.11 and is more exact from 3.12 on, where the last digit, and with it an order or a
    draw, may be another; the official programs were run with the older one.

    >>> added([0.1] * 10)
    0.9999999999999999
    """
    total = 0.0
    for value in values:
        total += value
    return total
