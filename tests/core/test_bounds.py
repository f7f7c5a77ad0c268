from __future__ import annotations

import math
from typing import Annotated, get_origin

import msgspec
import pytest

from duologue.core import bounds


def above(number: float) -> float:
    """Return the next float."""
    return math.nextafter(number, math.inf)


def below(number: float) -> float:
    """Return the float before."""
    return math.nextafter(number, -math.inf)


LIMITS: dict[str, tuple[list[float], list[float]]] = {
    "Positive": ([1, 7, 2**63], [0, -1, 1.5]),
    "Count": ([0, 7, 2**63], [-1, 0.5]),
    "Stacked": ([1, 256], [0, 257]),
    "Threads": ([1, 1024], [0, 1025, 2**63]),
    "Processes": ([1, 256], [0, 257]),
    "Calls": ([1, 1024], [0, 1025]),
    "ToldTokens": ([0, 2**40 - 1], [-1, 2**40]),
    "Tokens": ([1, 10**9], [0, 10**9 + 1, 10**400]),
    "Items": ([0, 10**15], [-1, 10**15 + 1]),
    "PositiveFloat": ([above(0), 3, 1e308], [0, -0.1]),
    "NonNegative": ([0, 0.1, 1e308], [below(0)]),
    "Weight": ([0, 0.5, 1e9], [below(0), above(1e9), 1e308, math.inf]),
    "Slope": ([-1e9, 0, 1e9], [below(-1e9), above(1e9)]),
    "Rows": ([0, 10**12], [-1, 10**12 + 1, 10**400]),
    "PositiveRows": ([1, 10**12], [0, 10**12 + 1]),
    "Seconds": ([0, 0.5, 1e5], [below(0), above(1e5), 1e300]),
    "Milliseconds": ([0, 1e8], [below(0), above(1e8)]),
    "PositiveSeconds": ([above(0), 1e5], [0, above(1e5)]),
    "Waited": ([1, 10**9], [0, 10**9 + 1]),
    "Probability": ([0, 0.5, 1], [below(0), above(1)]),
    "ProperFraction": ([above(0), below(1)], [0, 1]),
    "Dropout": ([0, below(1)], [1, below(0)]),
}
"""Per kind of number the least and the greatest, and those that are just too small or too great."""


def test_every_bound_has_its_limits_here() -> None:
    assert set(LIMITS) == {name for name, kind in vars(bounds).items() if get_origin(kind) is Annotated}


@pytest.mark.parametrize("name", LIMITS)
def test_numbers_up_to_their_limits_are_taken_and_those_beyond_refused(name: str) -> None:
    kind, (within, without) = getattr(bounds, name), LIMITS[name]
    for number in within:
        assert msgspec.convert(number, kind) == number
    for number in without:
        with pytest.raises(msgspec.ValidationError, match=r"Expected `(int|float)"):
            msgspec.convert(number, kind)
