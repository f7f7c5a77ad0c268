"""The beta distribution: its lower tail, and the value that cuts one off."""

from __future__ import annotations

import math

_TINY = 1e-300
_ENOUGH = 1e-15
_SETTLED = 1e-12
_TERMS = 100_000


def beta_tail(x: float, a: float, b: float) -> float:
    """Return the share of the distribution below `x`: the regularised incomplete beta function (DLMF 8.17.22).

    >>> round(beta_tail(0.5, 2, 2), 12), round(beta_tail(0.9, 20.5, 0.5), 6)
    (0.5, 0.038839)
    """
    if not 0 < x < 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction is quick
        return 1 - beta_tail(1 - x, b, a)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(scale) / a * _fraction(x, a, b)


def beta_cut(level: float, a: float, b: float) -> float:
    """Return the value below which the share `level` of the distribution lies.

    >>> round(beta_cut(0.5, 2, 2), 12), round(beta_cut(0.025, 20.5, 0.5), 4)
    (0.5, 0.8834)
    """
    low, high = 0.0, 1.0
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    middle, spread = a / (a + b), math.sqrt(a * b / (a + b + 1)) / (a + b)
    x = middle + (2 if level > 0.5 else -2) * spread  # where the ends of intervals are
    x = x if 0 < x < 1 else middle
    for _ in range(200):
        off = beta_tail(x, a, b) - level
        low, high = (low, x) if off > 0 else (x, high)
        slope = math.exp(scale + (a - 1) * math.log(x) + (b - 1) * math.log1p(-x))
        step = x - off / slope if slope > 0 else low
        found = step if low < step < high else (low + high) / 2
        if abs(found - x) <= _SETTLED * x or found in (0.0, 1.0):
            return found
        x = found
    return x


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the tail, by Lentz's method."""
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _TERMS):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / _not_zero(1 + factor * d), _not_zero(1 + factor / c)
            value *= d * c
        if abs(d * c - 1) < _ENOUGH:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
