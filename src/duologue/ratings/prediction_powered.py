"""PPI++ (Angelopoulos, Duchi and Zrnic 2023): means from a judge's scores of many answers and people's of a few.

    value = mean over people's ratings of (rating - l * judge) + l * mean over the other answers of judge

The first part is what the judge gets wrong, so the value is right whatever the judge is like; `l` is the weight, from 0
to 1, that makes the variance least. Answers that people rated must be drawn at random from all.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.metrics.intervals import within, without_spread
from duologue.metrics.significance import FEWEST
from duologue.metrics.student import student_cut
from duologue.ratings.contrasts import NO_SPREAD
from duologue.ratings.two_way import two_way_errors

if TYPE_CHECKING:
    from duologue.metrics.counts import Floats
    from duologue.ratings.table import Integers

UNBOUNDED = (-math.inf, math.inf)
"""The scale of what may be any number."""
CALIBRATED = 50
"""Human labels of a criterion below which a judge's scores are stamped uncalibrated."""


class PredictionPowered(NamedTuple):
    """An estimate from people's ratings and a judge's scores."""

    value: float
    error: float
    freedom: float
    """Degrees of freedom of Student's t."""
    weight: float
    """Of the judge, from 0 (people alone) to 1."""
    labels: int
    """Human ratings that took part."""
    others: int
    """Answers with the judge's score alone."""
    low: float
    """Lower end of the 95 % interval."""
    high: float

    @classmethod
    def of(
        cls, value: float, error: float, freedom: float, scale: tuple[float, float], *,
        weight: float, labels: int, others: int, items: int,
    ) -> PredictionPowered:  # fmt: skip
        """Return an estimate of `items` answers with its interval, which lies on the scale.

        Where nothing differs there is no error to be seen: the interval is then Wilson's, if the scale has ends.
        """
        half = student_cut(freedom) * error
        low, high = within(value, value - half, value + half, scale)
        if error < NO_SPREAD and scale[0] <= value <= scale[1] and scale != UNBOUNDED:
            low, high = without_spread(value, items, student_cut(freedom), scale)
        return cls(value, error, freedom, weight, labels, others, low, high)


def prediction_powered(
    item: Integers, rater: Integers, human: Floats, judge: Floats, rest: Floats, *,
    weight: float | None = None, scale: tuple[float, float] = UNBOUNDED,
) -> PredictionPowered | None:  # fmt: skip
    """Return the estimate; `None` with fewer than five rated items or two others.

    `item`, `rater`, `human` and `judge` are of each human rating; `rest` is the judge's score of each answer that
    nobody rated. With three raters or more the error speaks of other raters too. A `weight` that is given is taken as
    it is; 0 gives the estimate of people alone, for which `rest` may be empty. `scale` is that of the mean.
    """
    n = len(np.unique(item))
    if n < FEWEST or (len(rest) < 2 and weight != 0):
        return None
    taken = best_weight(human, judge, rest, n) if weight is None else weight
    left = human - taken * judge
    influence = (left - left.mean()) / len(left)
    errors = two_way_errors(item, rater, influence[:, None])
    value, variance, freedom = float(left.mean()), float(errors.error[0]) ** 2, float(errors.freedom[0])
    if taken:
        value += taken * float(rest.mean())
        added = taken**2 * float(rest.var(ddof=1)) / len(rest)
        below = variance**2 / freedom + added**2 / (len(rest) - 1)
        variance += added
        freedom = variance**2 / below if below > 0 else freedom
    return PredictionPowered.of(
        value, math.sqrt(variance), freedom, scale, weight=taken, labels=len(human), others=len(rest), items=n
    )


def judge_alone(scores: Floats, scale: tuple[float, float] = UNBOUNDED) -> PredictionPowered | None:
    """Return the mean of a judge's scores with the error of a mean; `None` for fewer than five."""
    n = len(scores)
    if n < FEWEST:
        return None
    value, error = float(scores.mean()), float(scores.std(ddof=1)) / math.sqrt(n)
    return PredictionPowered.of(value, error, n - 1, scale, weight=1.0, labels=0, others=n, items=n)


def best_weight(human: Floats, judge: Floats, rest: Floats, items: int) -> float:
    """Return the weight of the judge that makes the variance least, cut to 0 .. 1 (equation 7 of the paper)."""
    spread = float(np.concatenate([judge, rest]).var(ddof=1))
    if spread <= 0:
        return 0.0
    together = float(((human - human.mean()) * (judge - judge.mean())).mean())
    return min(1.0, max(0.0, together / (spread * (1 + items / len(rest)))))
