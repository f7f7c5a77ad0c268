"""A judge beside people: its agreement with them, and what its scores are worth, by PPI++."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.core.sums import added
from duologue.ratings.agreement import agreement_with_judge, judge_scores
from duologue.ratings.prediction_powered import CALIBRATED, judge_alone, prediction_powered

if TYPE_CHECKING:
    from duologue.ratings.agreement import Agreement
    from duologue.ratings.prediction_powered import PredictionPowered
    from duologue.ratings.protocol import RatingProtocol
    from duologue.ratings.table import RatingTable

    Labels = dict[tuple[str, str], float]
    """Ratings of one system by item and rater."""

TOTAL = "total"
"""The name of the sum of all criteria."""


class JudgedCriterion(NamedTuple):
    """A judge on one criterion."""

    criterion: str
    agreement: Agreement
    """Quadratic kappa of people's ratings with the judge's."""
    labels: int
    """Human ratings of answers that the judge rated too."""

    @property
    def calibrated(self) -> bool:
        """Whether there are human ratings enough to tell what the judge's scores are worth."""
        return self.labels >= CALIBRATED


class JudgedValue(NamedTuple):
    """Three estimates of one figure; each `None` where there are too few answers for it."""

    criterion: str
    """`total` for the sum of all."""
    system: str
    """Of a mean; of a difference, the first of the two."""
    other: str
    """Of a difference, the second system; empty for a mean."""
    people: PredictionPowered | None
    both: PredictionPowered | None
    """PPI++."""
    judge: PredictionPowered | None


class JudgeReport(NamedTuple):
    """A judge beside people."""

    criteria: tuple[JudgedCriterion, ...]
    means: tuple[JudgedValue, ...]
    """Of each criterion and of the total, each system."""
    differences: tuple[JudgedValue, ...]
    """Of the total, each pair of systems, rated by the same people."""

    @property
    def uncalibrated(self) -> tuple[str, ...]:
        """The criteria with too few human labels."""
        return tuple(one.criterion for one in self.criteria if not one.calibrated)


def beside_judge(people: RatingTable, judge: RatingTable, protocol: RatingProtocol) -> JudgeReport:
    """Return what a judge's scores of many answers are worth beside people's ratings of some."""
    scores = [judge_scores(judge, place) for place in range(len(protocol.criterion))]
    total = {
        key: added(one[key] for one in scores)
        for key in (scores[0].keys() if len(scores) == 1 else set.intersection(*(set(one) for one in scores)))
    }
    named = [(one.name, place) for place, one in enumerate(protocol.criterion)]
    wanted: list[tuple[str, int | None]] = [*named, *([(TOTAL, None)] if len(named) > 1 else [])]
    systems = sorted({*people.systems, *judge.systems})
    means, labels_of_total = [], {}
    for name, place in wanted:
        known = total if place is None else scores[place]
        parts = protocol.criterion if place is None else (protocol.criterion[place],)
        ends = (sum(one.low for one in parts), sum(one.high for one in parts))
        for system in systems:
            labels = _labels(people, system, place)
            means.append(_value(name, system, "", labels, {i: v for (i, s), v in known.items() if s == system}, ends))
    for system in systems:
        labels_of_total[system] = _labels(people, system, None)
    span = protocol.highest - protocol.lowest
    differences = [
        _value(TOTAL, a, b, *_apart(labels_of_total[a], labels_of_total[b], total, a, b), (-span, span))
        for a, b in combinations(systems, 2)
    ]
    criteria = []
    for place, scale in enumerate(protocol.criterion):
        rated = sum(
            (people.items[item], people.systems[system]) in scores[place]
            for item, system, criterion in zip(people.item, people.system, people.criterion, strict=True)
            if criterion == place
        )
        criteria.append(JudgedCriterion(scale.name, agreement_with_judge(people, judge, place, scale), rated))
    return JudgeReport(tuple(criteria), tuple(means), tuple(differences))


def _labels(table: RatingTable, system: str, criterion: int | None) -> Labels:
    """Return people's ratings of a system on one criterion, or the sums of those with all criteria."""
    kept = np.array([name == system for name in table.systems], dtype=bool)[table.system]
    if criterion is not None:
        kept = kept & (table.criterion == criterion)
    found: dict[tuple[str, str], list[float]] = {}
    for item, rater, value in zip(table.item[kept], table.rater[kept], table.value[kept], strict=True):
        found.setdefault((table.items[item], table.raters[rater]), []).append(float(value))
    needed = 1 if criterion is not None else len(table.criteria)
    return {key: added(values) for key, values in found.items() if len(values) == needed}


def _apart(
    one: Labels, two: Labels, total: dict[tuple[str, str], float], a: str, b: str
) -> tuple[Labels, dict[str, float]]:
    """Return the differences of two systems, as people rated both and as the judge did."""
    people = {key: one[key] - two[key] for key in one.keys() & two.keys()}
    items = [item for item, system in total if system == a and (item, b) in total]
    return people, {item: total[item, a] - total[item, b] for item in items}


def _value(
    criterion: str, system: str, other: str, labels: Labels, scores: dict[str, float], scale: tuple[float, float]
) -> JudgedValue:
    """Return the three estimates of the mean of some labels."""
    keys = sorted(key for key in labels if key[0] in scores)
    alone = judge_alone(np.array([scores[item] for item in sorted(scores)]), scale)
    if not keys:
        return JudgedValue(criterion, system, other, None, None, alone)
    item, rater = (np.unique([key[side] for key in keys], return_inverse=True)[1] for side in (0, 1))
    human, judge = np.array([labels[key] for key in keys]), np.array([scores[key[0]] for key in keys])
    rated = {key[0] for key in keys}
    rest = np.array([scores[one] for one in sorted(scores.keys() - rated)])
    people = prediction_powered(item, rater, human, judge, rest, weight=0, scale=scale)
    both = prediction_powered(item, rater, human, judge, rest, scale=scale)
    return JudgedValue(criterion, system, other, people, both, alone)
