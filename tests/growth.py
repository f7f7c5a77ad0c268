"""How much longer a work takes on more of the same: linear work grows as its input, quadratic work as the square."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Input = TypeVar("Input")
TIMES = 8
"""How much larger the second input is."""
LINEAR = 3 * TIMES
"""What linear work stays below on the busiest machine; quadratic work takes `TIMES` squared, which is 64."""


def growth(made: Callable[[int], Input], work: Callable[[Input], object], size: int) -> float:
    """Return how many times as long the work takes on an input of `TIMES` the size, both measured at their best.

    The larger input is tried again only while it seems to take too long.
    """
    small, large = made(size), made(TIMES * size)
    unit = max(min(_taken(small, work) for _ in range(3)), 1e-3)
    best = _taken(large, work)
    for _ in range(2):
        if best < LINEAR * unit:
            break
        best = min(best, _taken(large, work))
    return best / unit


def _taken(given: Input, work: Callable[[Input], object]) -> float:
    begun = time.process_time()
    work(given)
    return time.process_time() - begun
