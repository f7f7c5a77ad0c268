"""Inline SVG of intervals, with positions in percent of the width so that text keeps its size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from duologue.report.numbers import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MARKS = (
    "M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0Z",  # circle
    "M-4.6 -4.6H4.6V4.6H-4.6Z",  # square
    "M0 -6.4L6.4 0L0 6.4L-6.4 0Z",  # diamond
    "M0 -6L6 4.8H-6Z",  # triangle
    "M0 6L6 -4.8H-6Z",  # triangle on its tip
    "M-2 -6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",  # cross
)
"""A system keeps its mark and colour in all figures of a board; its name stands beside each line anyway."""

COLOURS = len(MARKS)
_HEIGHT = 24
_NEAR = 0.02
"""How near to 1 a stretched axis still tells scores apart."""
_LARGEST = 1e300
"""Ends of an axis: of larger numbers the difference is none."""
_MARGIN = 3.0  # percent of the width kept free on both sides, for marks at the ends


class Axis(NamedTuple):
    """The range of a figure, in fractions, with its ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]
    stretched: bool = False
    """Stretched towards 1, so that good and perfect can be told apart beside poor."""
    percent: bool = True
    """Whether the values are fractions, and so labelled in percent."""

    def place(self, value: float) -> float:
        """Return where a value stands, in percent of the width."""
        start, end, here = (self._length(one) for one in (self.low, self.high, min(max(value, self.low), self.high)))
        return round(_MARGIN + (here - start) / (end - start) * (100 - 2 * _MARGIN), 3)

    def _length(self, value: float) -> float:
        return -math.log(1 - value + _NEAR) if self.stretched else value


def mark(number: int) -> str:
    """Return the path of a system's mark around (0, 0), about 12 pixels wide."""
    return MARKS[number % len(MARKS)]


def score_axis(values: Iterable[float], *, of_one: bool = True) -> Axis:
    """Return an axis for scores: 0 to 1, or a close-up when all are in the upper half.

    With both poor (below 0.5) and good scores (above 0.95) it is stretched towards 1. Scores that are not fractions
    (`of_one` false) get an axis from 0, or from the lowest where one is negative, to a round number above the highest.
    """
    known = [value for value in values if math.isfinite(value)]
    if not of_one:
        return _open_axis(known)
    lowest = min(known, default=0.0)
    if lowest < 0.5 and max(known, default=0.0) > 0.95:
        return Axis(0.0, 1.0, (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 1.0), stretched=True)
    if lowest < 0.5:
        return Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))
    span = max(1 - lowest, 0.01)
    step = next(step for step in (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.125) if span / step <= 4.2)
    count = max(1, math.ceil(span / step - 1e-9))
    return Axis(1 - count * step, 1.0, tuple(1 - number * step for number in range(count, -1, -1)))


def _open_axis(values: Sequence[float]) -> Axis:
    low, high = max(min([0.0, *values]), -_LARGEST), min(max([1e-9, *values]), _LARGEST)
    near = max(math.floor(math.log10((high - low) / 5)), -9)
    powers = range(max(near - 1, -9), near + 2)
    step = next(
        base * 10.0**power for power in powers for base in (1, 2, 5) if (high - low) / (base * 10.0**power) <= 5
    )
    first, last = math.floor(low / step), math.ceil(high / step - 1e-9)
    ticks = tuple(number * step for number in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks, percent=False)


def line(axis: Axis, value: float, low: float | None, high: float | None, number: int) -> Markup:
    """Return one interval as an SVG line: grid, whisker, and the mark of system `number`.

    What is not known (NaN) is not drawn; infinities stand at the ends.
    """
    middle = _HEIGHT / 2
    parts = [
        Markup('<line class="grid" x1="{0}%" x2="{0}%" y1="0" y2="{1}"/>').format(axis.place(tick), _HEIGHT)
        for tick in axis.ticks
    ]
    if low is not None and high is not None and not math.isnan(low + high):
        left, right = axis.place(low), axis.place(high)
        parts.append(
            Markup('<line class="whisker" x1="{}%" x2="{}%" y1="{}" y2="{}"/>').format(left, right, middle, middle)
        )
    if not math.isnan(value):
        parts.append(
            Markup('<svg x="{}%" y="{}" class="at"><path class="mark" d="{}"/></svg>').format(
                axis.place(value), middle, mark(number)
            )
        )
    return _svg(parts, f"line c{number % COLOURS}", _HEIGHT)


def scale(axis: Axis, unit: str = "") -> Markup:
    """Return the labels of an axis as an SVG line."""
    if not axis.percent:
        labels = [f"{tick:g}" for tick in axis.ticks]
    else:
        digits = 0 if all(abs(tick * 100 - round(tick * 100)) < 1e-9 for tick in axis.ticks) else 2
        labels = [percent(tick, digits) for tick in axis.ticks]
    parts = [
        Markup('<text x="{}%" y="12" text-anchor="middle">{}{}</text>').format(axis.place(tick), label, unit)
        for tick, label in zip(axis.ticks, labels, strict=True)
    ]
    return _svg(parts, "scale", 16)


def _svg(parts: Sequence[Markup], name: str, height: int) -> Markup:
    """Wrap a drawing. It is hidden from screen readers: the same numbers stand beside it as text."""
    return Markup('<svg class="{}" width="100%" height="{}" aria-hidden="true" focusable="false">{}</svg>').format(
        name, height, Markup("").join(parts)
    )
