"""Robustness curves: scores against the strength of noise, one curve per system, as a page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from duologue.core.errors import UsageError
from duologue.core.version import __version__
from duologue.metrics.significance import SEED
from duologue.report.figures import COLOURS, mark, score_axis
from duologue.report.html import template
from duologue.report.numbers import figure, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.records import Report, Score
    from duologue.report.figures import Axis

_WIDTH, _HEIGHT = 720, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 16, 40


class Point(NamedTuple):
    """A score at one strength of noise."""

    strength: float
    report: Report
    score: Score


class Curve(NamedTuple):
    """A system's scores, by strength."""

    system: str
    points: tuple[Point, ...]

    @property
    def kept(self) -> float | None:
        """What is left of the score at the greatest strength, as a share of the first.

        `None` where that was 0, or one of them is not known.
        """
        first, last = self.points[0].score.value, self.points[-1].score.value
        return last / first if first and not math.isnan(first + last) else None


def curves(reports: Sequence[Report], name: str | None = None) -> list[Curve]:
    """Return the curves of reports that say the strength of their noise (`meta["strength"]`), systems in their order.

    `name` is the score; left out, the one that ranks. Raises `UsageError` for no reports, for one without strength,
    and for a score that a report does not have.
    """
    if not reports:
        raise UsageError("there are no reports to draw")
    found: dict[str, list[Point]] = {}
    for report in reports:
        strength = report.meta.get("strength")
        if not isinstance(strength, int | float):
            raise UsageError(f"the report of {report.system or report.task} does not say the strength of its noise")
        wanted = name or report.rank_by
        score = next((one for one in report.scores if one.name == wanted), None)
        if score is None:
            raise UsageError(f"the report of {report.system or report.task} has no score '{wanted}'")
        found.setdefault(report.system, []).append(Point(float(strength), report, score))
    return [Curve(system, tuple(sorted(points, key=lambda one: one.strength))) for system, points in found.items()]


class _Field(NamedTuple):
    """Where strengths and scores stand in the figure."""

    axis: Axis
    most: float

    def x(self, strength: float) -> float:
        return round(_LEFT + strength / self.most * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(self, value: float) -> float:
        low, high = self.axis.low, self.axis.high
        share = (min(max(value, low), high) - low) / (high - low)
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)


def drawing(found: Sequence[Curve]) -> Markup:
    """Return the curves as SVG: strength to the right, score upwards, whiskers for the 95 % intervals.

    It is hidden from screen readers: the same numbers stand beside it as a table.
    """
    points = [point for curve in found for point in curve.points]
    ends = [value for one in points for value in (one.score.low, one.score.value, one.score.high) if value is not None]
    axis = score_axis(ends, of_one=all(one.score.percent for one in points))._replace(stretched=False)
    strengths = sorted({one.strength for one in points})
    field = _Field(axis, strengths[-1] or 1.0)
    parts = [*_grid(field, strengths), *(_line(field, curve, number) for number, curve in enumerate(found))]
    return Markup(
        '<svg class="curves" viewBox="0 0 {} {}" width="100%" aria-hidden="true" focusable="false">{}</svg>'
    ).format(_WIDTH, _HEIGHT, Markup("").join(parts))


def _grid(field: _Field, strengths: Sequence[float]) -> Iterator[Markup]:
    for tick in field.axis.ticks:
        label = percent(tick, 0) if field.axis.percent else f"{tick:g}"
        yield Markup(
            '<line class="grid" x1="{0}" x2="{1}" y1="{2}" y2="{2}"/><text x="{3}" y="{4}" text-anchor="end">{5}</text>'
        ).format(_LEFT, _WIDTH - _RIGHT, field.y(tick), _LEFT - 10, field.y(tick) + 4, label)
    for strength in strengths:
        yield Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>').format(
            field.x(strength), _HEIGHT - _BOTTOM + 22, f"{strength:g}"
        )


def _line(field: _Field, curve: Curve, number: int) -> Markup:
    known = [one for one in curve.points if not math.isnan(one.score.value)]  # nothing was counted at the others
    places = [(field.x(one.strength), field.y(one.score.value), one.score) for one in known]
    parts = [Markup('<polyline class="curve" points="{}"/>').format(" ".join(f"{x},{y}" for x, y, _ in places))]
    for x, y, score in places:
        if score.low is not None and score.high is not None:
            parts.append(
                Markup('<line class="whisker" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>').format(
                    x, field.y(score.low), field.y(score.high)
                )
            )
        parts.append(Markup('<path class="mark" transform="translate({} {})" d="{}"/>').format(x, y, mark(number)))
    return Markup('<g class="c{}">{}</g>').format(number % COLOURS, Markup("").join(parts))


def curve_page(
    reports: Sequence[Report],
    *,
    title: str,
    commands: Sequence[str] = (),
    remarks: Sequence[str] = (),
    seed: int = SEED,
) -> str:
    """Return an HTML page with the curves of the score that ranks, and a table of all scores.

    `remarks` say what the noise is, and what it was fitted to. The same reports give the same bytes. Raises
    `UsageError` as `curves` does.
    """
    found = curves(reports)
    first = found[0].points[0].report
    return template("curves.html.j2").render(
        title=title,
        curves=found,
        drawing=drawing(found),
        first=first,
        names=[score.name for score in first.scores],
        shown=lambda report, name: next(
            (figure(one.value, one.percent) for one in report.scores if one.name == name), figure(None)
        ),
        commands=list(commands),
        remarks=list(remarks),
        seed=seed,
        version=__version__,
    )
