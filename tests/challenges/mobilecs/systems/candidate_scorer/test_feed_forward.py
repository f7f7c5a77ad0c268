from __future__ import annotations

import numpy as np

from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import FeedForward


def test_scores_go_through_a_rectifier_between_layers() -> None:
    first = (np.array([[1.0, -1.0]], dtype=np.float32), np.zeros(2, dtype=np.float32))
    second = (np.array([[1.0], [10.0]], dtype=np.float32), np.array([0.5], dtype=np.float32))
    scores = FeedForward((first, second)).scores(np.array([[2.0], [-3.0]], dtype=np.float32))
    assert scores.tolist() == [2.5, 30.5]
