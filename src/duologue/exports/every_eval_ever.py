"""Aggregate results in the form of Every Eval Ever, version 0.3.0 of `eval.schema.json` (evaleval, MIT)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from duologue.core.errors import UsageError
from duologue.core.version import __version__
from duologue.exports.hub import CONFIDENCE, has_interval, hub_name, named_set, remarks, with_a_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Report, Score
    from duologue.exports.hub import ExportDetails

SCHEMA_VERSION = "0.3.0"


def to_every_eval_ever(reports: Sequence[Report], details: ExportDetails) -> str:
    """Return the aggregate JSON of one report, its slices included. Raises `UsageError` for several reports."""
    if len(reports) != 1:
        raise UsageError(f"a file is of one evaluation, and {len(reports)} reports are given; export each alone")
    (report,) = reports
    name = hub_name(details, report.system or "system")
    stamp = str(int(datetime.fromisoformat(details.date).replace(tzinfo=UTC).timestamp()))
    results = [_result(one, report, "") for one in with_a_value(report.scores)]
    for part in report.slices:
        results += [_result(one, report, f"{part.by}={part.value}", part.n) for one in with_a_value(part.scores)]
    owner = name.partition("/")[0]
    found = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"duologue.{report.task}/{name}/{stamp}",
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_name": "duologue",
            "source_type": "evaluation_run",
            "source_organization_name": details.by or "not told",
            "evaluator_relationship": "other"
            if not details.by
            else "first_party"
            if details.by == owner
            else "third_party",
        },
        "eval_library": {"name": "duologue", "version": __version__},
        "model_info": {
            "name": report.system or "system",
            "id": name,
            "developer": owner,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
                "seen_in_training": report.seen or "not told",
                "external_data": "not declared" if report.external is None else ", ".join(report.external) or "none",
            },
        },
        "evaluation_results": results,
    }
    return json.dumps(found, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _result(score: Score, report: Report, part: str, n: int | None = None) -> dict[str, Any]:
    gold = report.signature.hashes.get("gold", "")
    uncertainty: dict[str, Any] = {"num_samples": report.n if n is None else n}
    if has_interval(score):
        uncertainty["confidence_interval"] = {
            "lower": score.low,
            "upper": score.high,
            "confidence_level": CONFIDENCE,
            "method": score.signature.resampling or "jackknife",
        }
    whole = f"{report.task}: {named_set(report)}"
    return {
        "evaluation_result_id": "/".join(filter(None, (report.task, named_set(report), score.name, part))),
        "evaluation_name": f"{whole}, {part}" if part else whole,
        "source_data": {
            "dataset_name": whole,
            "source_type": "other",
            **({"additional_details": {"truth_sha256": gold}} if gold else {}),
        },
        "metric_config": _metric(score, report),
        "score_details": {
            "score": score.value,
            "details": {
                "signature": str(score.signature),
                "variant": report.variant,
                "remarks": "; ".join(remarks(report)) or "none",
            },
            "uncertainty": uncertainty,
        },
    }


def _metric(score: Score, report: Report) -> dict[str, Any]:
    """Return what the metric is; bounds are told where they are known: those of a fraction."""
    found: dict[str, Any] = {
        "metric_id": f"duologue.{report.task}.{score.name}",
        "metric_name": score.name,
        "lower_is_better": not score.higher_is_better,
    }
    if score.signature.formulas:
        found["evaluation_description"] = ", ".join(score.signature.formulas)
    if score.percent and 0 <= score.value <= 1:
        found |= {"metric_unit": "proportion", "score_type": "continuous", "min_score": 0, "max_score": 1}
    return found
