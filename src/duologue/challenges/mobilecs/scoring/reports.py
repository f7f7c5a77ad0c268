"""Builds reports from counts: scores with intervals over dialogues, each with its signature."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core import disk
from duologue.core.records import Report, Signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import TaskInfo
    from duologue.core.records import Problem, Scoring, Submission
    from duologue.metrics.counts import Counts, Metric

    Formulas = Sequence[Metric[Mapping[str, float]]]

VERSION = "v1"


def signature_of(info: TaskInfo, how: Scoring, submission: Submission, gold: Any, n: int) -> Signature:
    """Return the signature without its formulas: task, variant, options, samples, n, hashes.

    `gold` is decoded, so that its hash does not depend on the layout of the file.
    """
    options = [f"{name}={how.options.get(name, values[0])}" for name, values in sorted(info.options.items())]
    return Signature(
        task=info.name,
        variant=how.variant,
        options=(*options, f"samples {how.samples}"),
        version=VERSION,
        n=n,
        hashes={"gold": disk.sha256(_bytes_of(gold)), "pred": submission.hash or "none"},
    )


def _bytes_of(decoded: Any) -> bytes:
    try:
        return msgspec.json.encode(decoded)
    except (ValueError, OverflowError, TypeError):  # a lone surrogate, an integer of thousands of digits
        return json.dumps(decoded, ensure_ascii=True).encode("ascii")


def report_of(
    info: TaskInfo,
    how: Scoring,
    counts: Counts,
    metrics: Formulas,
    signature: Signature,
    *,
    rank_by: str,
    problems: Sequence[Problem] = (),
    meta: dict[str, Any] | None = None,
) -> Report:
    """Return the report of one submission."""
    from duologue.metrics.intervals import scores

    return Report(
        task=info.name,
        variant=how.variant,
        n=signature.n,
        scores=scores(counts, metrics, signature),
        rank_by=rank_by,
        signature=counts.sign(signature.of([one.formula for one in metrics])),
        columns=counts.columns,
        items=counts.rows(),
        groups=counts.groups or (),
        problems=tuple(problems),
        meta=meta or {},
    )
