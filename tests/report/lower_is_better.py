"""A score of which less is better, and reports that it ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.metrics.counts import Metric, share

if TYPE_CHECKING:
    from duologue.core.records import Report
    from duologue.metrics.counts import Floats


class Errors(Metric[float]):
    """Wrong items per item: the lower, the better."""

    name = "errors"
    columns = ("items", "hit@1")
    formula = "1 - hit@1 / items"
    higher_is_better = False

    def count(self, seen: float) -> tuple[float, float]:
        return 1.0, seen

    def total(self, sums: Floats) -> Floats:
        return 1 - share(sums[..., 1], sums[..., 0])


def with_lower_better(report: Report) -> Report:
    score = msgspec.structs.replace(report.scores[0], name="errors", value=1 - report.scores[0].value)
    return msgspec.structs.replace(
        report, scores=(msgspec.structs.replace(score, higher_is_better=False), *report.scores), rank_by="errors"
    )
