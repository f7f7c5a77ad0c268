"""Evaluation results of Hugging Face: the `model-index` of a model card's metadata.

Form: `modelcard.md` of huggingface/hub-docs; `huggingface_hub.model_index_to_eval_results` reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core.plugins import load_task, names
from duologue.exports.hub import CONFIDENCE, has_interval, hub_name, named_set, one_system, with_a_value
from duologue.exports.yaml_text import to_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Report, Score
    from duologue.exports.hub import ExportDetails

_TASK_TYPES = {"ranking": "text-ranking", "annotation": "token-classification"}
"""Kind of answer -> task of the Hub; anything else is text."""


def to_hugging_face(reports: Sequence[Report], details: ExportDetails) -> str:
    """Return the YAML of reports of one system, for the head of its model card. Raises `UsageError` for several."""
    return to_yaml(metadata(reports, details))


def metadata(reports: Sequence[Report], details: ExportDetails) -> dict[str, Any]:
    """Return the metadata of a model card: language, licence, tags and results."""
    system = one_system(reports)
    languages = sorted({language for report in reports if (language := _info(report.task, "language"))})
    tags = ["dialogue", "duologue", *dict.fromkeys(report.task.partition("/")[0] for report in reports)]
    return {
        **({"language": languages} if languages else {}),
        **({"license": details.licence.lower()} if details.licence else {}),
        "tags": tags,
        "model-index": [
            {
                "name": hub_name(details, system).rpartition("/")[2],
                "results": [_result(report) for report in reports if with_a_value(report.scores)],
            }
        ],
    }


def _result(report: Report) -> dict[str, Any]:
    gold = report.signature.hashes.get("gold", "")
    return {
        "task": {"type": _task_type(report.task), "name": report.task},
        "dataset": {
            "type": report.task.replace("/", "-"),
            "name": f"{report.task}: {named_set(report)}",
            "split": "test",
            **({"revision": gold} if gold else {}),
        },
        "metrics": [_metric(score, report) for score in with_a_value(report.scores)],
    }


def _metric(score: Score, report: Report) -> dict[str, Any]:
    args: dict[str, Any] = {"n": report.n, "variant": report.variant, "signature": str(score.signature)}
    if has_interval(score):
        args |= {"low": score.low, "high": score.high, "confidence": CONFIDENCE}
    if report.seen:
        args["seen"] = report.seen
    return {"type": score.name, "name": score.name, "value": score.value, "verified": False, "args": args}


def _task_type(task: str) -> str:
    return _TASK_TYPES.get(_info(task, "answers"), "text-generation")


def _info(task: str, what: str) -> str:
    """Return what a task says of itself; empty for one that is not installed."""
    return str(getattr(load_task(task).info, what)) if task in names("tasks") else ""
