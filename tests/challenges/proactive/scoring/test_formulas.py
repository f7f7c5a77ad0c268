from __future__ import annotations

import numpy as np

from duologue.challenges.proactive.scoring.formulas import goal_completion


def test_completion_is_a_share_of_the_most() -> None:
    metric = goal_completion()
    assert metric.columns == ("dialogues", "goal points")
    assert metric.count({"dialogues": 1, "goal points": 1}) == (1, 1)
    assert metric.note == "by rule, not the human scale"
    assert metric.note in metric.formula
    assert float(metric.total(np.array([2.0, 3.0]))) == 0.75
