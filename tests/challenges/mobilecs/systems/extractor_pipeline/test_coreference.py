from __future__ import annotations

import numpy as np
import pytest

from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import FeedForward
from duologue.challenges.mobilecs.systems.extractor_pipeline.coreference import antecedent_lists, clusters, pair_size
from duologue.challenges.mobilecs.systems.extractor_pipeline.tagged_call import FoundSpan
from duologue.core.records import Span


def mention(start: int, value: float) -> FoundSpan:
    span = Span(turn=0, start=start, end=start + 1)
    return FoundSpan("业务", span, start, np.array([value], dtype=np.float32))


MENTIONS = [mention(0, 1.0), mention(5, -1.0), mention(9, 1.0), mention(130, 1.0)]


def scorer(weight: float) -> FeedForward:
    """Return one that scores the product of both vectors."""
    weights = np.array([[0.0], [0.0], [weight]], dtype=np.float32)
    return FeedForward(((weights, np.zeros(1, dtype=np.float32)),))


def test_mentions_take_the_best_antecedent_of_their_piece() -> None:
    assert pair_size(1) == 3
    assert clusters(MENTIONS, scorer(1.0), 128) == [0, 1, 0, 3]
    assert clusters(MENTIONS, scorer(1.0), 1000) == [0, 1, 0, 0]


def test_a_mention_whose_antecedents_score_nothing_is_a_new_entity() -> None:
    assert clusters(MENTIONS[:1], scorer(1.0), 128) == [0]
    assert clusters([MENTIONS[0], MENTIONS[2]], scorer(-1.0), 128) == [0, 1]


def test_decisions_of_annotated_mentions_say_who_is_right() -> None:
    found = list(antecedent_lists(MENTIONS, ["a", "b", "a", "a"], 1000))
    assert [row.right.tolist() for row in found] == [[0], [1, 0], [1, 0, 1]]
    assert found[1].features == pytest.approx(np.array([[1, 1, 1], [-1, 1, -1]]))
