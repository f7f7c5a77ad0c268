"""Formatting of numbers: percentages, never rounded up to a perfect score."""

from __future__ import annotations

import math

NOTHING = "–"
"""Printed where there is no value."""


def percent(value: float | None, digits: int = 2) -> str:
    """Return a fraction as percent without the sign. Only 1 prints as 100 and only 0 as 0.

    >>> percent(0.974), percent(0.99999), percent(1.0), percent(None)
    ('97.40', '99.99', '100.00', '–')
    """
    if value is None or math.isnan(value):
        return NOTHING
    step = 10.0**-digits
    shown = round(value * 100, digits)
    if shown == 100 and value < 1:
        shown = 100 - step
    elif shown == 0 and value > 0:
        shown = step
    return f"{shown:.{digits}f}"


def figure(value: float | None, of_one: bool = True, digits: int = 2) -> str:  # noqa: FBT001, FBT002  # a template filter
    """Return a score as it is printed: a fraction in percent, anything else as it is with four places.

    >>> figure(0.974), figure(2.24, False)
    ('97.40', '2.2400')
    """
    if of_one or value is None or math.isnan(value):
        return percent(value, digits)
    return f"{value:.4f}"


def interval(low: float | None, high: float | None, digits: int = 2, *, of_one: bool = True) -> str:
    """Return both ends as they are printed, or a dash where no interval was computed.

    >>> interval(0.9, 0.95)
    '90.00 to 95.00'
    """
    if low is None or high is None:
        return NOTHING
    return f"{figure(low, of_one, digits)} to {figure(high, of_one, digits)}"


def points(difference: float, of_one: bool = True, digits: int = 2) -> str:  # noqa: FBT001, FBT002  # a template filter
    """Return a difference with its sign: of fractions in percentage points, of anything else as it is.

    >>> points(0.0123), points(-0.5), points(0.0), points(0.25, False)
    ('+1.23', '-50.00', '0.00', '+0.2500')
    """
    if math.isnan(difference):
        return NOTHING
    shown = f"{abs(difference) * 100:.{digits}f}" if of_one else f"{abs(difference):.4f}"
    if float(shown) == 0:
        return shown
    return f"{'+' if difference > 0 else '-'}{shown}"


def thousands(number: int) -> str:
    """Return a count with its thousands set apart.

    >>> thousands(15000)
    '15,000'
    """
    return f"{number:,}"


def probability(p: float) -> str:
    """Return a p-value with as many places as say something.

    >>> probability(1.0), probability(0.0412), probability(0.0002), probability(0.00001)
    ('1', '0.041', '0.0002', '<0.0001')
    """
    if math.isnan(p):
        return NOTHING
    if p >= 0.9995:
        return "1"
    if p < 0.0001:
        return "<0.0001"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.4f}"
