"""How numbers are printed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.report.numbers import figure, interval, percent, points, probability, thousands


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


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.9995, "1"),
        (0.9994, "0.999"),
        (0.001, "0.001"),
        (0.00099, "0.0010"),
        (0.0001, "0.0001"),
        (0.000099, "<0.0001"),
        (0.0, "<0.0001"),
        (math.nan, "–"),
    ],
)
def test_p_values_change_their_form_at_their_bounds(p: float, shown: str) -> None:
    assert probability(p) == shown


def test_what_is_no_fraction_is_shown_as_it_is() -> None:
    assert [figure(value, of_one=False) for value in (2.24, 0.0, -1.5, 100.0)] == [
        "2.2400",
        "0.0000",
        "-1.5000",
        "100.0000",
    ]
    assert [figure(value, of_one=False) for value in (None, math.nan)] == ["–", "–"]


def test_a_score_is_a_fraction_unless_it_is_said_to_be_none() -> None:
    assert [figure(value) for value in (0.974, 0.0, None, math.nan)] == ["97.40", "0.00", "–", "–"]
    assert figure(0.974, digits=1) == "97.4"
    assert [points(value, of_one=False) for value in (0.25, -0.25, 0.00001)] == ["+0.2500", "-0.2500", "0.0000"]
    assert (points(math.nan), points(math.nan, of_one=False)) == ("–", "–")
    assert interval(0.25, 2.0, of_one=False) == "0.2500 to 2.0000"


def test_half_an_interval_is_none() -> None:
    assert (interval(None, 0.5), interval(0.5, None)) == ("–", "–")


def test_as_many_digits_are_shown_as_are_asked_for() -> None:
    assert (percent(0.12345, 0), percent(0.12345, 1), percent(0.99999, 1), percent(1e-9, 1)) == (
        "12",
        "12.3",
        "99.9",
        "0.1",
    )
    assert (percent(1e-12, 8), percent(1 - 1e-12, 8)) == ("0.00000001", "99.99999999")
    assert interval(0.12345, 0.5, 1) == "12.3 to 50.0"
    assert points(0.12345, digits=1) == "+12.3"
    assert percent(-0.5) == "-50.00"


def test_what_is_beyond_a_perfect_score_is_not_rounded_down() -> None:
    assert (percent(1.00001), percent(1.5), percent(-0.00001)) == ("100.00", "150.00", "-0.00")
