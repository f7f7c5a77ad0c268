"""What one rater said: a point on a scale, or which of two systems is better."""

from __future__ import annotations

from typing import Literal, NamedTuple

OVERALL = "overall"
"""The criterion of a pairwise judgement that names none."""

Outcome = Literal["a", "b", "tie"]


class Rating(NamedTuple):
    """One rater's points for what one system said about one item, on one criterion."""

    item: str
    """What was rated: a context, a sample, or a dialogue. Systems that answered the same item share its id."""
    system: str
    rater: str
    criterion: str
    value: float


class Preference(NamedTuple):
    """One rater's judgement of two systems on one item."""

    item: str
    a: str
    b: str
    rater: str
    criterion: str
    outcome: Outcome
