from __future__ import annotations

import numpy as np
from tests.growth import LINEAR, growth

from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import FeedForward
from duologue.challenges.mobilecs.systems.extractor_pipeline.alignment import (
    MentionedEntities,
    owner_lists,
    owners_of,
    pair_size,
)
from duologue.challenges.mobilecs.systems.extractor_pipeline.tagged_call import FoundSpan
from duologue.core.records import Span


def part(label: str, turn: int, start: int) -> FoundSpan:
    vector = np.ones(2, dtype=np.float32)
    return FoundSpan(label, Span(turn=turn, start=start, end=start + 1), 10 * turn + start, vector)


CALL = MentionedEntities(
    [part("业务", 0, 1), part("套餐", 1, 2), part("套餐", 2, 0)], ["ent-1", "ent-2", "ent-3"], np.arange(0, 60, 10)
)
VALUE = part("业务费用", 1, 4)


def test_candidates_are_the_user_and_what_was_mentioned_at_or_before_the_value() -> None:
    (row,) = owner_lists([VALUE], ["ent-2"], CALL, 512)
    assert row.right.tolist() == [0, 0, 1]
    assert row.features.shape == (3, pair_size(2))
    assert not row.features[0, 2:6].any()  # the user has no mention
    (near,) = owner_lists([VALUE], ["ent-1"], CALL, 15)
    assert near.right.tolist() == [0, 0]  # the first mention is out of reach


def test_the_best_owner_is_taken() -> None:
    for weight, owner in ((1.0, "ent-2"), (-1.0, "ent-1")):
        weights = np.zeros((pair_size(2), 1), dtype=np.float32)
        weights[-3] = weight  # whether it is mentioned in the value's utterance
        weights[-4] = -2.0  # the user
        scorer = FeedForward(((weights, np.zeros(1, dtype=np.float32)),))
        assert owners_of([VALUE], CALL, 512, scorer) == [owner]
        assert owners_of([VALUE], MentionedEntities([], [], CALL.starts), 512, scorer) == ["NA"]


def test_a_long_call_takes_no_longer_for_each_value() -> None:
    scorer = FeedForward(((np.ones((pair_size(2), 1), dtype=np.float32), np.zeros(1, dtype=np.float32)),))

    def made(turns: int) -> MentionedEntities:
        mentions = [part("业务", turn, 1) for turn in range(turns)]
        return MentionedEntities(
            mentions, [f"ent-{turn % 5}" for turn in range(turns)], np.arange(0, 10 * turns + 1, 10)
        )

    def work(call: MentionedEntities) -> None:
        values = [part("业务费用", turn, 4) for turn in range(len(call.mentions))]
        assert len(owners_of(values, call, 60, scorer)) == len(values)

    assert growth(made, work, 500) < LINEAR
