from __future__ import annotations

import numpy as np

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.features import COREFERENCE, PIECE_FEATURES
from duologue.challenges.mobilecs.systems.agent.slot_cues import SlotCue, SlotCues
from duologue.challenges.mobilecs.systems.agent.turn_encoder import (
    TOLD_SUMMARY,
    UNSEEN,
    TurnEncoder,
    TurnTruth,
    grams_of,
    told_summary,
    vocabulary_of,
)

BASE = {"ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元"}, "NA": {"账户余额": "三十块"}}
VIEW = CallView([("我有彩铃", "好的")], "多少钱", BASE)
TRUTH = TurnTruth(frozenset({"询问"}), frozenset({1}), frozenset({1}), ("通知",), frozenset({1}))
VOCABULARY = vocabulary_of([("a", VIEW, TRUTH), ("b", VIEW, TRUTH)], rare=2, label_sets=5)


def test_a_vocabulary_has_what_enough_dialogues_say() -> None:
    assert set(VOCABULARY.grams) == {"多", "少", "钱", "多少", "少钱", "多少钱"} == grams_of("多少钱")
    assert VOCABULARY.label_sets == [("通知",)]
    assert vocabulary_of([("a", VIEW, TRUTH)], rare=2, label_sets=5).grams == []


def test_a_row_has_the_turn_and_its_truth_as_numbers() -> None:
    row = TurnEncoder(VOCABULARY, SlotCues([])).row(VIEW, TRUTH)
    assert row.grams.tolist() == sorted(range(UNSEEN + 1, UNSEEN + 7))
    assert row.earlier.tolist() == [UNSEEN]
    assert row.asked.tolist() == row.wanted.tolist() == row.told.tolist() == [0, 1, 0, 0]
    assert (row.label_set, row.user_labels.sum(), row.texts) == (0, 1, [])
    blind = TurnEncoder(VOCABULARY, SlotCues([])).row(VIEW)
    assert (blind.label_set, blind.told.sum()) == (-1, 0)


def test_ablations_leave_features_out() -> None:
    whole = TurnEncoder(VOCABULARY, SlotCues([])).row(VIEW).pieces
    now = TurnEncoder(VOCABULARY, SlotCues([]), coreference=False).row(VIEW).pieces
    places = [PIECE_FEATURES.index(one) for one in COREFERENCE]
    assert whole[:, places].any()
    assert not now[:, places].any()
    text = TurnEncoder(VOCABULARY, SlotCues([]), text=True).row(VIEW)
    assert not text.slots.any()
    assert len(text.texts) == len(VIEW.pieces)
    assert not text.pieces[:, PIECE_FEATURES.index("is slot")].any()


def test_other_cues_change_their_features_alone() -> None:
    cue = SlotCue(text=VIEW.masked[:2], turns=9, wanted={VIEW.pieces[1].slot: 9})
    plain, cued = TurnEncoder(VOCABULARY, SlotCues([])), TurnEncoder(VOCABULARY, SlotCues([cue]))
    row = cued.recued(plain.row(VIEW, TRUTH), VIEW, None)
    assert np.array_equal(row.pieces, cued.row(VIEW, TRUTH).pieces)
    assert not np.array_equal(row.pieces, plain.row(VIEW, TRUTH).pieces)
    assert row.told.tolist() == [0, 1, 0, 0]


def test_the_summary_says_what_a_reply_tells() -> None:
    assert dict(zip(TOLD_SUMMARY, told_summary(VIEW, [1]).tolist(), strict=True))["an entity's slot"] == 1
    assert told_summary(VIEW, []).tolist() == [1, 0, 0, 0, 0, 0]
    assert np.array_equal(told_summary(VIEW, [2]), [0, 0, 0, 0, 1, 0])
