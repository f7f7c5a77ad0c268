"""Many systems on one test set: intervals, tiers of systems that cannot be told apart, what could be detected.

All systems share the same resamples, so that their differences are paired; a resample costs one product of
matrices for all of them. The standard error of a difference is its standard deviation over the resamples, and
its p-value that of a normal deviate (two-sided): counting resamples beyond the difference cannot give the small
p-values that Holm's correction over a thousand pairs needs.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from duologue.core.errors import UsageError
from duologue.metrics.counts import Counts
from duologue.metrics.resampling import bootstrap_sums
from duologue.metrics.significance import RESAMPLES, holm, middle_of
from duologue.report.comparison import ALPHA, in_order, ranking_formulas, system_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Report
    from duologue.metrics.counts import Floats, Metric
    from duologue.report.comparison import Formulas

DETECTABLE = 1.959964 + 0.841621
"""Standard errors that a true difference must have to be found at 5 % (two-sided) with a chance of 80 %."""


class Place(NamedTuple):
    """One system on the board."""

    system: str
    report: Report
    """With the intervals of the board's resamples."""
    tier: int
    """1 for the first system and all that are not shown to be worse than it; the next one starts tier 2; and so on."""
    best: int
    """1 + the systems shown to be better."""
    worst: int
    """The number of systems less those shown to be worse."""


class League(NamedTuple):
    """All systems of one test set, the best first."""

    task: str
    variant: str
    test_set: str
    n: int
    rank_by: str
    score_names: tuple[str, ...]
    places: tuple[Place, ...]
    detectable: dict[str, float]
    """Per score the smallest true difference of two systems that is found at 5 % with a chance of 80 %."""
    unpaired: tuple[Report, ...]
    """Reports over other items than the first one's: listed with their scores and not compared."""
    refused: tuple[tuple[str, int, str], ...]
    """Files that could not be scored: name, number of problems, the first of them."""
    resamples: int


def rank_all(
    reports: Sequence[Report],
    *,
    formulas: Formulas | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    refused: Sequence[tuple[str, int, str]] = (),
) -> League:
    """Rank reports on one test set. Deterministic for a seed and independent of the order of the reports.

    `formulas` gives the formulas of a report (default: `ranking_formulas`). Scores that are not additive get no
    interval and no detectable difference. Raises `UsageError` for no reports, reports of different tasks or
    variants, and a ranking score without a formula that can be resampled.
    """
    _expect(reports)
    ordered = in_order(reports)
    named = dict(zip(map(id, ordered), system_names(ordered), strict=True))
    items = _commonest_items(ordered)
    paired = [report for report in ordered if frozenset(name for name, _ in report.items) == items]
    metrics = [metric for metric in (formulas or ranking_formulas)(paired[0]) if metric.additive]
    rank_by = paired[0].rank_by
    if not items or rank_by not in {metric.name for metric in metrics}:
        raise UsageError(
            f"'{rank_by}' ranks systems and keeps no counts that can be resampled; there is no board for it"
        )
    drawn = _draw([Counts.of_report(report) for report in paired], metrics, resamples, seed)
    errors = {name: _standard_errors(values) for name, values in drawn.items()}
    reports_now = [_with_intervals(report, drawn, number) for number, report in enumerate(paired)]
    return League(
        task=paired[0].task,
        variant=paired[0].variant,
        test_set=str(paired[0].meta.get("test_set", "")),
        n=paired[0].n,
        rank_by=rank_by,
        score_names=tuple(score.name for score in paired[0].scores),
        places=_places([named[id(one)] for one in paired], reports_now, errors[rank_by]),
        detectable={name: _detectable(one) for name, one in errors.items()} if len(paired) > 1 else {},
        unpaired=tuple(report for report in ordered if report not in paired),
        refused=tuple(refused),
        resamples=resamples,
    )


def _expect(reports: Sequence[Report]) -> None:
    if not reports:
        raise UsageError("there are no reports to rank; score a result file first")
    for what in ("task", "variant", "rank_by"):
        found = sorted({getattr(report, what) for report in reports})
        if len(found) > 1:
            raise UsageError(f"reports of one {what} are ranked together, found {' and '.join(found)}")


def _commonest_items(reports: Sequence[Report]) -> frozenset[str]:
    """Return the items that most reports are over; of equally many those of the better system."""
    sets = [frozenset(name for name, _ in report.items) for report in reports]
    return max(sets, key=sets.count)


def _draw(counts: Sequence[Counts], metrics: Sequence[Metric[Any]], resamples: int, seed: int) -> dict[str, Floats]:
    """Return each score under resampling, (resamples, systems); NaN where a resample says nothing."""
    columns = list(dict.fromkeys(name for metric in metrics for name in metric.columns))
    rows = [one.units()[1][:, one.positions(columns)] for one in counts]
    sums = bootstrap_sums(np.hstack(rows), resamples, seed).reshape(resamples, len(counts), len(columns))
    return {
        metric.name: metric.total(sums[..., [columns.index(name) for name in metric.columns]]) for metric in metrics
    }


def _standard_errors(values: Floats) -> Floats:
    """Return the standard error of each difference, (systems, systems)."""
    known = values
    if np.isnan(values).any():
        said = ~np.isnan(values)
        means = np.where(said, values, 0.0).sum(axis=0) / np.where(said.any(axis=0), said.sum(axis=0), np.nan)
        known = np.where(said, values, means)
    covariance = np.atleast_2d(np.cov(known, rowvar=False))
    variance = np.diag(covariance)
    spread: Floats = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0))
    return spread


def _with_intervals(report: Report, drawn: dict[str, Floats], number: int) -> Report:
    scores = []
    for score in report.scores:
        if score.name in drawn:
            low, high = middle_of(drawn[score.name][:, number])
            scores.append(msgspec.structs.replace(score, low=low, high=high))
        else:
            scores.append(score)
    return msgspec.structs.replace(report, scores=tuple(scores))


def _detectable(errors: Floats) -> float:
    """Return the smallest detectable difference for the median pair of systems; NaN where none is known."""
    pairs = errors[np.triu_indices(len(errors), 1)]
    known = pairs[~np.isnan(pairs)]
    return float(DETECTABLE * np.median(known)) if len(known) else math.nan


def _places(names: Sequence[str], reports: Sequence[Report], errors: Floats) -> tuple[Place, ...]:
    """Return the systems, given best first, with their tiers and the range of their ranks."""
    values = [next(score.value for score in report.scores if score.name == report.rank_by) for report in reports]
    pairs = list(combinations(range(len(values)), 2))
    p_values = holm([_p_value(values[a] - values[b], float(errors[a, b])) for a, b in pairs])
    apart = {pair for pair, p in zip(pairs, p_values, strict=True) if p < ALPHA}
    tier, leader, places = 1, 0, []
    for here, (name, report) in enumerate(zip(names, reports, strict=True)):
        if (leader, here) in apart:
            tier, leader = tier + 1, here
        better = sum((other, here) in apart for other in range(here))
        worse = sum((here, other) in apart for other in range(here + 1, len(names)))
        places.append(Place(name, report, tier, 1 + better, len(names) - worse))
    return tuple(places)


def _p_value(difference: float, error: float) -> float:
    """Return the two-sided p-value of a normal deviate; 1 for systems that never differ or have no score."""
    if abs(difference) < 1e-12 or math.isnan(difference) or math.isnan(error):
        return 1.0
    return math.erfc(abs(difference) / error / math.sqrt(2)) if error > 0 else 0.0


def league_to_json(found: League) -> dict[str, Any]:
    """Return the board as a JSON object; figures are unrounded fractions, null where there is none."""
    from duologue.report.serialize import json_number, to_json  # together with the page only

    systems = [
        {
            "system": place.system,
            "tier": place.tier,
            "rank": [place.best, place.worst],
            "scores": to_json(place.report)["scores"],
            "seen": place.report.seen,
            "external": place.report.external,
            "exposure": to_json(place.report).get("exposure"),
            "signature": place.report.signature,
        }
        for place in found.places
    ]
    return {
        "task": found.task,
        "variant": found.variant,
        "test_set": found.test_set,
        "n": found.n,
        "rank_by": found.rank_by,
        "resamples": found.resamples,
        "systems": systems,
        "minimum_detectable_difference": {name: json_number(one) for name, one in found.detectable.items()},
        "unpaired": [{"system": report.system, **to_json(report)} for report in found.unpaired],
        "refused": [{"file": name, "problems": count, "first": first} for name, count, first in found.refused],
    }
