"""A log of Inspect (`inspect view`): its JSON form, version 2, as `inspect_ai.log.EvalLog` reads it.

Each score is a scorer of its own with the figure and both ends of its interval as metrics; each item is a sample with
what it scores by itself, and the counts behind it as the explanation. Texts of data sets stay where they are: a sample
is told by its id, and columns that would be empty are not shown.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.errors import UsageError
from duologue.core.version import __version__
from duologue.exports.hub import CONFIDENCE, has_interval, hub_name, named_set, remarks, with_a_value
from duologue.metrics.counts import Counts
from duologue.run.saved import formulas_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Report, Score
    from duologue.exports.hub import ExportDetails

_VERSION = 2
_SHOWN = ("sampleId",)
_EMPTY = ("sampleStatus", "input", "target", "answer", "tokens", "duration")
"""Columns of the viewer's list of samples that say something of ours, and those that do not."""


def log_file_name(reports: Sequence[Report], details: ExportDetails) -> str:
    """Return the name by which `inspect view` lists the log of a report: moment, task and id.

    Raises as the log does.
    """
    told = _told(reports, details)
    task = f"duologue/{told.report.task}".replace("/", "-")
    return f"{details.date}T00-00-00+00-00_{task}_{told.identity[42:64]}.json"


def to_inspect_log(reports: Sequence[Report], details: ExportDetails) -> str:
    """Return the log of one report. Raises `UsageError` for several."""
    report, identity = _told(reports, details)
    name, told = hub_name(details, report.system or "system"), f"{details.date}T00:00:00+00:00"
    ids = [one for one, _ in report.items]
    scores = with_a_value(report.scores)
    log = {
        "version": _VERSION,
        "status": "success",
        "eval": {
            "eval_id": identity[:22],
            "run_id": identity[22:44],
            "created": told,
            "task": f"duologue/{report.task}",
            "task_id": identity[42:64],
            "task_version": str(report.signature.version),
            "task_display_name": f"{report.task}: {named_set(report)}",
            "dataset": {"name": named_set(report), "samples": report.n, "sample_ids": ids, "shuffled": False},
            "model": name,
            "config": {"epochs": 1},
            "packages": {"duologue": __version__},
            "metadata": _metadata(report),
            "viewer": {"task_samples_view": _view(scores)},
        },
        "plan": {"name": "duologue run", "steps": []},
        "results": {
            "total_samples": len(ids) or report.n,
            "completed_samples": len(ids) or report.n,
            "scores": [_score(one, report) for one in scores],
        },
        "stats": {"started_at": told, "completed_at": told},
        "samples": _samples(report, name),
    }
    return json.dumps(log, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


class _Told(NamedTuple):
    """The report of a log, and what tells it from the logs of others."""

    report: Report
    identity: str


def _told(reports: Sequence[Report], details: ExportDetails) -> _Told:
    if len(reports) != 1:
        raise UsageError(
            f"an Inspect log is of one evaluation, and {len(reports)} reports are given; export each alone"
        )
    (report,) = reports
    known = msgspec.json.encode([str(report.signature), report.system, details.date])
    return _Told(report, hashlib.sha256(known).hexdigest())


def _view(scores: Sequence[Score]) -> dict[str, Any]:
    """Return how the viewer lists samples: lines of one row, without the columns that we have nothing for."""
    columns = [
        *({"id": one, "visible": True} for one in _SHOWN),
        *({"id": f"score__{one.name}__{one.name}", "visible": True} for one in scores),
        *({"id": one, "visible": False} for one in _EMPTY),
    ]
    return {"name": "Default", "columns": columns, "multiline": False}


def _metadata(report: Report) -> dict[str, Any]:
    found: dict[str, Any] = {
        "variant": report.variant,
        "ranked_by": report.rank_by,
        "signature": str(report.signature),
        "seen_in_training": report.seen or "not told",
        "external_data": "not declared" if report.external is None else list(report.external) or "none",
    }
    if told := remarks(report):
        found["remarks"] = told
    if report.exposure is not None:
        found["exposure"] = msgspec.to_builtins(report.exposure)
    return found


def _score(score: Score, report: Report) -> dict[str, Any]:
    figures = {"value": score.value}
    if has_interval(score):
        figures |= {"low": score.low or 0.0, "high": score.high or 0.0}
    slices = [
        {"by": part.by, "value": part.value, "n": part.n, "score": one.value, "low": one.low, "high": one.high}
        for part in report.slices
        for one in with_a_value(part.scores)
        if one.name == score.name
    ]
    return {
        "name": score.name,
        "scorer": score.name,
        "scored_samples": report.n,
        "unscored_samples": 0,
        "metrics": {name: {"name": name, "value": value} for name, value in figures.items()},
        "metadata": {
            "signature": str(score.signature),
            "higher_is_better": score.higher_is_better,
            "confidence": CONFIDENCE,
            "slices": slices,
        },
    }


def _samples(report: Report, model: str) -> list[dict[str, Any]]:
    """Return a sample for each item; a score that says nothing about an item alone is left out there."""
    if not report.items:
        return []
    counts = Counts.of_report(report)
    known = {score.name for score in report.scores}
    metrics = [one for one in formulas_of(report) if one.name in known and one.additive]
    values = {one.name: one.total(counts.array[:, counts.positions(one.columns)]).tolist() for one in metrics}
    places = {one.name: list(zip(one.columns, counts.positions(one.columns), strict=True)) for one in metrics}

    def scored(score: str, value: float, row: Sequence[float]) -> dict[str, Any]:
        told = ", ".join(f"{column} {row[place]:.6g}" for column, place in places[score])
        return {"value": value, "explanation": told}

    return [
        {
            "id": name,
            "epoch": 1,
            "input": name,
            "target": "",
            "messages": [],
            "output": {"model": model, "choices": []},
            "scores": {
                score: scored(score, told[place], row) for score, told in values.items() if math.isfinite(told[place])
            },
            "metadata": {
                **({"dialogue": report.groups[place]} if report.groups else {}),
                "counts": dict(zip(report.columns, row, strict=True)),
            },
        }
        for place, (name, row) in enumerate(report.items)
    ]
