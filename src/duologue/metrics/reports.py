"""Reports made of counts: the one place where signatures, slices and reports are put together."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.disk import sha256
from duologue.core.errors import FormatError, TruthError, UsageError, did_you_mean
from duologue.core.records import Answer, Problem, Report, Signature, Slice
from duologue.metrics.counts import tally
from duologue.metrics.intervals import scores

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duologue.core.protocols import Task, TaskInfo
    from duologue.core.records import Example, Scoring, Submission
    from duologue.metrics.counts import Counts, Metric

    Metrics = Sequence[Metric[Any]]
    Cut = Callable[[Example], str | None]
    """What a sample is cut by: its value, or `None` where it has none."""

VERSION = "v1"


class AnsweredExample(NamedTuple):
    """What a metric of `score_by_metrics` looks at: an example and the answer to it, an empty one where none is."""

    example: Example
    answer: Answer


def signature_of(
    info: TaskInfo, how: Scoring, submission: Submission, gold: str, n: int, *,
    options: Sequence[str] = (), hashes: Mapping[str, str] | None = None, version: str = VERSION, **rest: Any,
) -> Signature:  # fmt: skip
    """Return the signature without its formulas; `gold` is the hash of the truth, `hashes` are others that count."""
    return Signature(
        task=info.name,
        variant=how.variant,
        options=tuple(options),
        version=version,
        n=n,
        hashes={**(hashes or {}), "gold": gold, "pred": submission.hash or "none"},
        **rest,
    )


def report_of(
    counts: Counts, metrics: Metrics, signature: Signature, *,
    rank_by: str, slices: Sequence[Slice] = (), problems: Sequence[Problem] = (), transcript: Sequence[str] = (),
    meta: Mapping[str, Any] | None = None, **known: Any,
) -> Report:  # fmt: skip
    """Return the report of what was counted; `known` is what `intervals.scores` takes besides."""
    return Report(
        task=signature.task,
        variant=signature.variant,
        n=signature.n,
        scores=scores(counts, metrics, signature, **known),
        rank_by=rank_by,
        signature=counts.sign(signature.of([one.formula for one in metrics])),
        slices=tuple(slices),
        columns=counts.columns,
        items=counts.rows(),
        groups=counts.groups or (),
        problems=tuple(problems),
        transcript=tuple(transcript),
        meta=dict(meta or {}),
    )


def slice_of(
    counts: Counts, metrics: Metrics, signature: Signature, by: str, value: str, rows: Sequence[int], **known: Any
) -> Slice:
    """Return the scores of the items in these rows; its n are those in which something is counted."""
    part = counts.take(rows)
    n = int(part.array.any(axis=1).sum())
    found = scores(part, metrics, signature.of([], f"{by} {value}", n), **known)
    return Slice(by=by, value=value, n=n, scores=found)


def slices_of(
    counts: Counts, metrics: Metrics, signature: Signature, cuts: Mapping[str, Sequence[str | None]], **known: Any
) -> list[Slice]:
    """Return the additive scores of each slice; `cuts` has by name the value of every item, `None` for none."""
    additive = [one for one in metrics if one.additive]
    return [
        slice_of(counts, additive, signature, by, value, rows, **known)
        for by, values in cuts.items()
        for value, rows in rows_by(values).items()
    ]


def rows_by(values: Sequence[str | None]) -> dict[str, list[int]]:
    """Return the rows of each value, sorted by value.

    >>> rows_by(["b", None, "a", "b"])
    {'a': [2], 'b': [0, 3]}
    """
    rows: dict[str, list[int]] = {}
    for row, value in enumerate(values):
        if value is not None:
            rows.setdefault(value, []).append(row)
    return {value: rows[value] for value in sorted(rows)}


def score_by_metrics(
    task: Task, examples: Sequence[Example], submission: Submission, how: Scoring, cuts: Mapping[str, Cut] | None = None
) -> Report:
    """Score a result file by what `task.metrics` counts of each `AnsweredExample`; the first metric ranks.

    Intervals, tests and boards follow from the counts; `cuts` adds slices by name. Raises `FormatError` for a file with
    errors unless `how.partial`, and where there is nothing to score against; `UsageError` for a slice that is not.
    """
    task.info.expect_variant(how.variant)
    cuts = cuts or {}
    for by in how.by:
        if by not in cuts:
            raise UsageError(f"{task.info.name} cannot be cut by '{by}'{did_you_mean(by, cuts)}")
    problems = task.check(submission, examples, how.variant)
    errors = [one for one in problems if one.severity == "error"]
    if submission.rows is None or (errors and not how.partial):
        raise FormatError(submission.path, problems)
    if not examples:
        raise TruthError([Problem(rule="truth-empty", message="there is no sample to score against")])
    answers, metrics = task.answers(submission, examples), task.metrics(how)
    if not metrics:
        raise UsageError(f"task '{task.info.name}' has no metrics to score by; its `metrics` must give one or more")
    seen = [AnsweredExample(one, answers.get(one.sample.id, Answer())) for one in examples]
    names = [one.sample.id for one in examples]
    counts = tally(metrics, names, seen, groups=[one.sample.dialogue_id for one in examples])
    truth = [[one.sample.id, [repr(reference) for reference in one.references]] for one in examples]
    gold = sha256(json.dumps(truth).encode("ascii"))
    version = f"v{task.info.version}"
    signature = signature_of(task.info, how, submission, gold, len(examples), version=version)
    values = {by: [cut(one) for one in examples] for by, cut in cuts.items() if by in how.by or not how.by}
    return report_of(
        counts,
        metrics,
        signature,
        rank_by=metrics[0].name,
        slices=slices_of(counts, metrics, signature, values),
        problems=problems,
    )
