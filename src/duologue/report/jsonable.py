"""A report as the JSON object that `--json` prints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.core.records import Report, Score


def to_json(report: Report) -> dict[str, Any]:
    """Return `{"task", "variant", "n", "scores": {name: {"value", "low", "high"}}, "signature"}`.

    Scores are unrounded fractions; `None` (JSON null) where there is no interval, or no item to score. Added
    when known: `system`, `seen` (data seen in training) and `slices`, a list of `{"by", "value", "n", "scores"}`.
    """
    found: dict[str, Any] = {
        "task": report.task,
        "variant": report.variant,
        "n": report.n,
        "scores": _scores(report.scores),
        "signature": report.signature,
    }
    if report.system:
        found["system"] = report.system
    if report.seen:
        found["seen"] = report.seen
    if report.slices:
        found["slices"] = [
            {"by": part.by, "value": part.value, "n": part.n, "scores": _scores(part.scores)} for part in report.slices
        ]
    return found


def _scores(scores: Iterable[Score]) -> dict[str, dict[str, float | None]]:
    return {
        score.name: {"value": _number(score.value), "low": _number(score.low), "high": _number(score.high)}
        for score in scores
    }


def _number(value: float | None) -> float | None:
    """Return the number, and `None` for NaN, which JSON does not have."""
    return None if value is None or math.isnan(value) else value
