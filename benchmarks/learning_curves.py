"""Learning curves as SVG: scores against the share of the labels, with whiskers for intervals."""

from __future__ import annotations

import html
import math
from typing import NamedTuple

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 150, 20, 44
COLOURS = ("#888888", "#1f6feb", "#d9730d", "#2da44e")


class Place(NamedTuple):
    """A score at one share of the labels."""

    share: float
    """In percent."""
    value: float
    least: float
    most: float
    """Ends of the whisker: the seeds' least and most."""


def learning_curves(title: str, curves: dict[str, list[Place]], *, axis: str, unit: float, step: float) -> str:
    """Return curves by name as an SVG file: shares on a logarithmic axis named `axis`, scores times `unit`.

    A line is drawn at each `step` of the scores.
    """
    places = [one for curve in curves.values() for one in curve]
    shares = sorted({one.share for one in places})
    top = step * math.ceil(max(one.most for one in places) / step + 1e-9)

    def x(share: float) -> float:
        low, high = math.log(shares[0]), math.log(shares[-1]) if len(shares) > 1 else math.log(shares[0]) + 1
        return round(LEFT + 12 + (math.log(share) - low) / (high - low) * (WIDTH - LEFT - RIGHT - 24), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM), 1)

    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-size="12" '
            f'font-family="system-ui, sans-serif"><title>{html.escape(title)}</title>'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
        )
    ]
    for number in range(round(top / step) + 1):
        at = y(number * step)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{at + 4}" text-anchor="end">{unit * number * step:g}</text>')
    parts += [
        f'<text x="{x(share)}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{share:g} %</text>' for share in shares
    ]
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(axis)}</text>')
    for number, (name, curve) in enumerate(curves.items()):
        colour, line = COLOURS[number % len(COLOURS)], " ".join(f"{x(one.share)},{y(one.value)}" for one in curve)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for one in curve:
            at = x(one.share)
            parts.append(f'<line x1="{at}" x2="{at}" y1="{y(one.least)}" y2="{y(one.most)}" stroke="{colour}"/>')
            parts.append(f'<circle cx="{at}" cy="{y(one.value)}" r="4" fill="{colour}"/>')
        at = TOP + 12 + 18 * number
        parts.append(f'<circle cx="{WIDTH - RIGHT + 16}" cy="{at - 4}" r="4" fill="{colour}"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 26}" y="{at}">{html.escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
