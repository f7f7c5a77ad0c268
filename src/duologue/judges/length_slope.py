"""Does the longer answer win? A logistic slope of a judge's choices on the length of answers.

log odds that A wins = at equal length + slope * log2(length of A / length of B)

A tie counts as half a win. Errors are the sandwich of White (1980) with the factor n / (n - 2), and Student's t: pairs
are independent. What people would choose may depend on length too, so a slope alone does not prove a bias.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.metrics.student import student_cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.metrics.counts import Floats

MIN_PAIRS = 10
"""With fewer there is no slope."""
_STEPS = 50
_STILL = 1e-10
_BOUND = 15.0
"""Log odds that stand for endless ones: the choices are told by the lengths without an exception."""


class LengthSlope(NamedTuple):
    """The slope, and the chance that A wins at equal lengths, each with its 95 % interval."""

    slope: float | None
    """Change of the log odds when A is twice as long; `None` where it is not defined."""
    low: float | None
    high: float | None
    even: float | None
    """Chance that A wins where both are as long: the win share without what goes with length."""
    even_low: float | None
    even_high: float | None
    n: int
    why: str = ""
    """Why there is no slope, in a sentence."""


def length_slope(wins: Sequence[float], ratios: Sequence[float]) -> LengthSlope:
    """Return the slope of wins of A (1, 0, or 0.5 for a tie) on log2 of the ratios of the lengths of A and B."""
    n = len(wins)

    def undefined(why: str) -> LengthSlope:
        return LengthSlope(None, None, None, None, None, None, n, why)

    if n < MIN_PAIRS:
        return undefined(f"there are {n} pairs, and a slope takes {MIN_PAIRS}")
    y, x = np.array(wins, dtype=np.float64), np.array(ratios, dtype=np.float64)
    if float(np.ptp(x)) < _STILL:
        return undefined("all pairs have the same ratio of lengths")
    if float(np.ptp(y)) < _STILL:
        return undefined("the judge says the same of all pairs")
    design = np.column_stack([np.ones(n), x])
    fitted = _fitted(design, y)
    if fitted is None:
        return undefined("the lengths tell all choices without an exception")
    values, bread = fitted
    scores = design * (y - _chances(design, values))[:, None]
    covariance = bread @ (scores.T @ scores) @ bread * (n / (n - 2))
    cut = student_cut(n - 2)
    even, slope = (float(one) for one in values)
    half_even, half = (cut * math.sqrt(float(covariance[place, place])) for place in (0, 1))
    ends = (_chance(even), _chance(even - half_even), _chance(even + half_even))
    return LengthSlope(slope, slope - half, slope + half, *ends, n)


def _fitted(design: Floats, y: Floats) -> tuple[Floats, Floats] | None:
    """Return the parameters of greatest likelihood and the inverse of its curvature; `None` where there are none."""
    values: Floats = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chances = _chances(design, values)
        curvature = (design * (chances * (1 - chances))[:, None]).T @ design
        try:
            bread: Floats = np.linalg.inv(curvature).astype(np.float64)
        except np.linalg.LinAlgError:
            return None
        step: Floats = bread @ (design.T @ (y - chances))
        values = values + step * min(1.0, 2.0 / max(float(np.abs(step).max()), _STILL))
        if float(np.abs(design @ values).min()) > _BOUND:
            return None
        if float(np.abs(step).max()) < _STILL:
            return values, bread
    return None


def _chances(design: Floats, values: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-np.clip(design @ values, -700, 700)))
    return found


def _chance(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, log_odds))))
