"""Utilities of candidates from choices among them in several orders, free of the favour that a model has for places.

Multinomial logit with an effect of the place: in order o, candidate c at place k is chosen with a probability
proportional to exp(u_c + b_k). Fitted by alternating scaling: each effect is the ratio of the choices that it got to
those that it would get without it, with a little of both in advance (a gamma prior of mean 1).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Sequence

_PRIOR = 0.5
_ROUNDS = 30


def utilities(orders: Sequence[Sequence[int]], choices: Sequence[Sequence[float]]) -> list[float]:
    """Return u of each candidate; `orders` has the candidates by place, `choices` how often each place was chosen.

    >>> always_the_first = [[4, 0, 0], [4, 0, 0], [4, 0, 0]]
    >>> [round(u, 6) for u in utilities([[0, 1, 2], [1, 2, 0], [2, 0, 1]], always_the_first)]
    [0.0, 0.0, 0.0]
    """
    size = len(orders[0])
    wanted, favoured = [1.0] * size, [1.0] * size  # exp(u) by candidate, exp(b) by place
    got_by_candidate, got_by_place = [_PRIOR] * size, [_PRIOR] * size
    for order, row in zip(orders, choices, strict=True):
        for place, count in enumerate(row):
            got_by_candidate[order[place]] += count
            got_by_place[place] += count
    for _ in range(_ROUNDS):
        due = [_PRIOR] * size
        for order, row in zip(orders, choices, strict=True):
            share = added(row) / math.fsum(wanted[one] * favoured[place] for place, one in enumerate(order))
            for place, one in enumerate(order):
                due[one] += share * favoured[place]
        wanted = _scaled(got_by_candidate, due)
        due = [_PRIOR] * size
        for order, row in zip(orders, choices, strict=True):
            share = added(row) / math.fsum(wanted[one] * favoured[place] for place, one in enumerate(order))
            for place, one in enumerate(order):
                due[place] += share * wanted[one]
        favoured = _scaled(got_by_place, due)
    return [math.log(one) for one in wanted]


def _scaled(got: Sequence[float], due: Sequence[float]) -> list[float]:
    """Return the ratios, with a geometric mean of 1."""
    logs = [math.log(one / other) for one, other in zip(got, due, strict=True)]
    middle = math.fsum(logs) / len(logs)
    return [math.exp(one - middle) for one in logs]
