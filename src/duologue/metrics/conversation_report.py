"""Report on whole conversations: what was counted in each, with intervals over dialogues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core.errors import UsageError
from duologue.core.records import Report, Signature
from duologue.metrics.counts import Metric, tally
from duologue.metrics.reports import report_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.records import Problem

VARIANT = "conversation"
"""The variant of such a report: no result file is scored by it."""


def conversation_report(
    task: str,
    ids: Sequence[str],
    found: Sequence[Mapping[str, float]],
    metrics: Sequence[Metric[Any]],
    *,
    rank_by: str,
    version: str,
    options: Sequence[str],
    hashes: Mapping[str, str],
    problems: Sequence[Problem] = (),
) -> Report:
    """Return the report on the counts `found` in dialogues, named by `ids`.

    A metric whose denominator (its first column) is 0 in all dialogues is left out. `version` is that of the judge's
    rules. Raises `UsageError` without dialogues.
    """
    if not ids:
        raise UsageError("there are no dialogues to judge")
    counts = tally(metrics, ids, found, groups=ids)
    known = [one for one in metrics if counts.sums()[counts.positions(one.columns)][0] > 0]
    signature = Signature(
        task=task, variant=VARIANT, options=tuple(options), version=version, n=len(ids), hashes=dict(hashes)
    )
    return report_of(counts, known, signature, rank_by=rank_by, problems=problems)
