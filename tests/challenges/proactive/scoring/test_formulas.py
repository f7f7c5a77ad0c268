from __future__ import annotations

from duologue.challenges.proactive.scoring.formulas import GoalCompletion


def test_completion_is_a_share_of_the_most() -> None:
    metric = GoalCompletion()
    assert metric.count(1) == (1, 1)
