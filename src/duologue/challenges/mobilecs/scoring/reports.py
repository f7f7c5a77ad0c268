"""Builds reports from counts: scores with intervals over dialogues, each with its signature."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core import disk
from duologue.core.records import Report, Score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import TaskInfo
    from duologue.core.records import Problem, Scoring, Submission
    from duologue.metrics.counts import Counts, Metric

    Formulas = Sequence[Metric[Mapping[str, float]]]

VERSION = "v1"
_SEED = 0
"""Seed of the bootstrap: the same file gives the same interval."""
_ROUNDING = 1e-9
"""Upper bound of the rounding error between two orders of summation."""


def signature_parts(brief: TaskInfo, how: Scoring, submission: Submission, gold: Any, n: str) -> tuple[str, ...]:
    """Return the parts of a signature after its formulas: task, variant, options, samples, n, hashes.

    `gold` is decoded, so that its hash does not depend on the layout of the file.
    """
    truth = disk.sha256(_bytes_of(gold))
    options = [f"{name}={how.options.get(name, values[0])}" for name, values in sorted(brief.options.items())]
    return (
        brief.name,
        how.variant,
        *options,
        f"samples {how.samples}",
        VERSION,
        n,
        f"gold {truth[:8]}",
        f"pred {submission.hash[:8] or 'none'}",
    )


def _bytes_of(decoded: Any) -> bytes:
    try:
        return msgspec.json.encode(decoded)
    except (ValueError, OverflowError, TypeError):  # a lone surrogate, an integer of thousands of digits
        return json.dumps(decoded, ensure_ascii=True).encode("ascii")


def scores_of(counts: Counts, metrics: Formulas, parts: tuple[str, ...]) -> tuple[Score, ...]:
    """Return scores with 95 % bootstrap intervals over the groups of the counts."""
    from duologue.metrics.counts import sign
    from duologue.metrics.significance import RESAMPLES, scores

    found = scores(counts, metrics, seed=_SEED, resamples=RESAMPLES)
    return tuple(
        msgspec.structs.replace(_rounded(one), signature=sign([metric], *parts))
        for one, metric in zip(found, metrics, strict=True)
    )


def _rounded(score: Score) -> Score:
    """Return the score with interval ends that differ from its value by rounding alone set to the value."""
    ends = {"low": score.low, "high": score.high}
    moved = {name: score.value for name, end in ends.items() if end is not None and abs(end - score.value) < _ROUNDING}
    return msgspec.structs.replace(score, **moved)


def report_of(
    brief: TaskInfo,
    how: Scoring,
    counts: Counts,
    metrics: Formulas,
    parts: tuple[str, ...],
    *,
    n: int,
    rank_by: str,
    problems: Sequence[Problem] = (),
    meta: dict[str, Any] | None = None,
) -> Report:
    """Return the report of one submission."""
    from duologue.metrics.counts import sign

    return Report(
        task=brief.name,
        variant=how.variant,
        n=n,
        scores=scores_of(counts, metrics, parts),
        rank_by=rank_by,
        signature=sign(metrics, *parts),
        columns=counts.columns,
        items=counts.rows(),
        groups=counts.groups or (),
        problems=tuple(problems),
        meta=meta or {},
    )
