"""Reports saved as JSON: read back with a clear word when one is not what it should be, and with their formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import FormatError
from duologue.core.plugins import load_task, names
from duologue.core.records import Problem, Report, Scoring

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.metrics.counts import Metric


def save_report(report: Report, path: Path) -> None:
    """Write the whole report, with the counts per item that paired tests need."""
    write_bytes(path, msgspec.json.encode(report))


def read_report(path: Path) -> Report:
    """Return a saved report. Raises `FormatError` for a file that is none, saying how one is made."""
    try:
        return msgspec.json.decode(read_bytes(path), type=Report)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        problem = Problem(
            rule="not-a-report",
            message=f"this is not a saved report: {error}",
            advice="make one with `duologue score ... --out FILE.report.json`",
        )
        raise FormatError(path, [problem]) from error


def how_of(report: Report) -> Scoring:
    """Return how a report was scored; one that does not say so was scored by its variant alone."""
    told = report.meta.get("how")
    if not isinstance(told, dict):
        return Scoring(variant=report.variant)
    try:
        return msgspec.convert(told, Scoring)
    except msgspec.ValidationError as error:
        problem = Problem(rule="report-how", place="/meta/how", message=f"this does not say how to score: {error}")
        raise FormatError(report.system or report.task, [problem]) from error


def formulas_of(report: Report) -> Sequence[Metric[Any]]:
    """Return the formulas over the counts that a report keeps, as its task gives them.

    For a report of a task that is not installed these are the ranking formulas that its scores name.
    """
    if report.task in names("tasks"):
        return load_task(report.task).metrics(how_of(report))
    from duologue.metrics.ranking import ranking_metric  # numpy only where it is needed

    return [one for one in (ranking_metric(score.name) for score in report.scores) if one is not None]
