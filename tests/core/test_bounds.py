from __future__ import annotations

import msgspec
import pytest

from duologue.core import bounds


@pytest.mark.parametrize(
    ("kind", "within", "without"),
    [
        (bounds.Positive, [1, 7], [0, -1, 1.5]),
        (bounds.Count, [0, 7], [-1]),
        (bounds.Threads, [1, 1024], [0, 1025, 2**63]),
        (bounds.Tokens, [1, 10**9], [0, 10**10, 10**400]),
        (bounds.PositiveFloat, [0.1, 3], [0, -0.1]),
        (bounds.NonNegative, [0, 0.1], [-0.1]),
        (bounds.Weight, [0, 0.5, 1e9], [-0.1, 1e308, float("inf")]),
        (bounds.Rows, [0, 10**12], [-1, 10**13, 10**400]),
        (bounds.PositiveRows, [1, 10**12], [0, 10**13]),
        (bounds.Seconds, [0, 0.5, 1e5], [-0.1, 1e6, 1e300]),
        (bounds.PositiveSeconds, [0.5, 1e5], [0, 1e6]),
        (bounds.Probability, [0, 0.5, 1], [-0.1, 1.1]),
        (bounds.ProperFraction, [0.5], [0, 1]),
        (bounds.Dropout, [0, 0.5], [1, -0.1]),
    ],
)
def test_numbers_outside_their_bounds_are_refused(kind: object, within: list[float], without: list[float]) -> None:
    for number in within:
        assert msgspec.convert(number, kind) == number
    for number in without:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(number, kind)
