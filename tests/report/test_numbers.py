"""How numbers are printed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.report.numbers import interval, percent, points, probability, thousands


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "50.00"),
        (1.0, "100.00"),
        (0.99996, "99.99"),
        (0.00001, "0.01"),
        (0.0, "0.00"),
        (None, "–"),
        (math.nan, "–"),
    ],
)
def test_percent_is_never_rounded_into_perfect_or_nothing(value: float | None, shown: str) -> None:
    assert percent(value) == shown


@given(st.floats(0, 1), st.integers(0, 3))
def test_only_1_prints_as_100_and_only_0_as_0(value: float, digits: int) -> None:
    shown = float(percent(value, digits))
    assert (shown == 100) == (value == 1)
    assert (shown == 0) == (value == 0)
    assert abs(shown - 100 * value) <= 10.0**-digits


def test_ends_of_an_interval_are_percents_or_a_dash() -> None:
    assert interval(0.25, 0.5) == "25.00 to 50.00"
    assert interval(None, None) == "–"


def test_differences_carry_their_sign_except_nothing() -> None:
    assert [points(one) for one in (0.015, -0.015, 0.0, -0.00001)] == ["+1.50", "-1.50", "0.00", "0.00"]


def test_p_values_show_as_many_places_as_say_something() -> None:
    assert [probability(p) for p in (1, 0.04999, 0.0012, 0.00042, 0.00005)] == [
        "1",
        "0.050",
        "0.001",
        "0.0004",
        "<0.0001",
    ]


def test_counts_have_their_thousands_set_apart() -> None:
    assert thousands(1234567) == "1,234,567"
