"""Evaluation results of Hugging Face: a file of `.eval_results/` in a model's repository, which leaderboards read.

Form: `eval_results.yaml` of huggingface/hub-docs; `huggingface_hub.parse_eval_result_entries` reads it. A task's id
there is what the benchmark's data set on the Hub calls it; here it is made of task, test set and score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core.errors import UsageError
from duologue.exports.hub import has_interval, hub_name, in_hub_signs, named_set, one_system, with_a_value
from duologue.exports.yaml_text import to_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.records import Report, Score
    from duologue.exports.hub import ExportDetails


def to_eval_results(reports: Sequence[Report], details: ExportDetails) -> str:
    """Return the YAML of reports of one system on one task, an entry for each score.

    `details.name` is what the Hub calls the benchmark's data set. Raises `UsageError` for reports of several systems or
    tasks: a benchmark has a file of its own.
    """
    one_system(reports)
    tasks = sorted({report.task for report in reports})
    if len(tasks) > 1:
        raise UsageError(f"a file is of one benchmark, and the reports are of {' and '.join(tasks)}; export each alone")
    data = hub_name(details, tasks[0])
    return to_yaml(
        [_entry(score, report, data, details.date) for report in reports for score in with_a_value(report.scores)]
    )


def _entry(score: Score, report: Report, data: str, day: str) -> dict[str, Any]:
    called = in_hub_signs("-".join((report.task, named_set(report), score.name)))
    return {
        "dataset": {"id": data, "task_id": called},
        "value": score.value,
        "date": day,
        "notes": "; ".join(_notes(score, report)),
    }


def _notes(score: Score, report: Report) -> Iterator[str]:
    yield f"{report.task}, {named_set(report)}, {score.name}, n {report.n}"
    if has_interval(score):
        yield f"95 % interval {score.low!r} to {score.high!r}"
    if report.seen:
        yield f"in training: {report.seen}"
    yield f"signature {score.signature}"
