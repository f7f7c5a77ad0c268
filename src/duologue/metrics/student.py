"""Student's distribution for any degrees of freedom, whole or not: its tail, and the value that cuts it off.

`intervals.student` is a series that is good from four degrees on, kept as it is since stored reports are held against
it. Ratings have fewer: three raters are worth two.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from duologue.metrics.counts import Floats

_NODES = 96
_GRID = 4_001
_NORMAL = 1e7
"""Degrees of freedom from which the distribution is the normal one."""


@cache
def _rule() -> tuple[Floats, Floats]:
    """Return nodes and weights for integrals from 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2


def student_tail(t: float, freedom: float) -> float:
    """Return the chance of a value at least as far from 0 as `t`, on both sides; NaN for NaN.

    >>> round(student_tail(2.7764451, 4), 6), round(student_tail(12.706205, 1), 6)
    (0.05, 0.05)
    """
    if math.isnan(t) or math.isnan(freedom):
        return math.nan
    if math.isinf(t):
        return 0.0
    if freedom > _NORMAL:
        return math.erfc(abs(t) / math.sqrt(2))
    nodes, weights = _rule()
    end = math.atan(abs(t) / math.sqrt(freedom))  # t = sqrt(freedom) tan(angle) makes the density a power of a cosine
    area = end * float(weights @ np.cos(end * nodes) ** (freedom - 1))
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    return min(1.0, max(0.0, 1 - 2 * scale * area))


def student_cut(freedom: float, level: float = 0.05) -> float:
    """Return the value that is exceeded on both sides together with the chance `level`.

    >>> round(student_cut(2), 4), round(student_cut(1e9), 4)
    (4.3027, 1.96)
    """
    low, high = 0.0, 1.0
    while student_tail(high, freedom) > level:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student_tail(middle, freedom) > level else (low, middle)
    return (low + high) / 2


def student_cuts(freedom: Floats, level: float = 0.05) -> Floats:
    """Return `student_cut` of many degrees of freedom, each at least 1, to five digits."""
    shares, logs = _table(level)
    return np.exp(np.interp(1 / np.maximum(freedom, 1.0), shares, logs))


@cache
def _table(level: float) -> tuple[Floats, Floats]:
    shares = np.linspace(0.0, 1.0, _GRID)
    every = 40  # the logarithm is smooth in 1 / freedom: few exact values, and a cubic through them, are enough
    exact = np.array([math.log(student_cut(1 / max(share, 1e-9), level)) for share in shares[::every]])
    return shares, _cubic(shares[::every], exact, shares)


def _cubic(x: Floats, y: Floats, at: Floats) -> Floats:
    """Return the values of cubics through four neighbouring points each."""
    first = np.clip(np.searchsorted(x, at) - 2, 0, len(x) - 4)
    found = np.zeros(len(at))
    for one in range(4):
        factor = np.ones(len(at))
        for other in range(4):
            if other != one:
                factor *= (at - x[first + other]) / (x[first + one] - x[first + other])
        found += y[first + one] * factor
    return found
