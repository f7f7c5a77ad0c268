"""Scores with their intervals as a figure, a line for each: teams of a board, or the history of a team."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.report.figures import line, scale, score_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from duologue.arena.competition.entries import TrackEntry
    from duologue.arena.competition.score_shapes import KeptScore

_LIMIT = 30
"""Lines of a figure."""


class FigureLine(NamedTuple):
    """One score."""

    name: str
    at: int | None
    """When it was handed in, where the figure is a history."""
    score: KeptScore
    drawing: Markup


class IntervalFigure(NamedTuple):
    """All scores on one axis."""

    score: str
    """What it shows."""
    lines: tuple[FigureLine, ...]
    scale: Markup


def interval_figure(rows: Sequence[tuple[str, int | None, KeptScore]], *, last: bool = False) -> IntervalFigure | None:
    """Return the figure of names, times and scores (as boards and entries keep them); `None` for fewer than two.

    Of more than there is room for it shows the first, with `last` the last.
    """
    known = [(*row, value) for row in rows if (value := row[2]["value"]) is not None]
    known = known[-_LIMIT:] if last else known[:_LIMIT]
    if len(known) < 2:
        return None
    first = known[0][2]
    ends = [end for *_, one, value in known for end in (value, one["low"], one["high"]) if end is not None]
    axis = score_axis(ends, of_one=first["percent"])
    lines = [
        FigureLine(name, at, one, line(axis, value, one["low"], one["high"], 0 if at is not None else number))
        for number, (name, at, one, value) in enumerate(known)
    ]
    return IntervalFigure(first["name"], tuple(lines), scale(axis, " %" if first["percent"] else ""))


def history_figure(entries: Sequence[TrackEntry]) -> IntervalFigure | None:
    """Return the figure of a team's last scored entries in one phase, the first first; `None` for fewer than two."""
    rows = [
        (entry.name, entry.submitted_at, ranking)
        for entry in entries
        if entry.state == "scored" and (ranking := entry.ranking) is not None
    ]
    return interval_figure(rows, last=True)
