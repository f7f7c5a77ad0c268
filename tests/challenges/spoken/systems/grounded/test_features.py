from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.spoken.systems.grounded.dialogue_state import tracker_of
from duologue.challenges.spoken.systems.grounded.features import (
    ENTITY,
    FEATURE_NAMES,
    NONE,
    PAIR,
    CorpusCounts,
    candidate_pairs,
)
from duologue.core.records import Fact, Turn
from duologue.knowledge.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.challenges.spoken.systems.grounded.dialogue_state import DialogueState, StateTracker
    from duologue.challenges.spoken.systems.grounded.features import CandidatePairs

NOTHING_KNOWN = CorpusCounts({}, {"门票": 3})


def feature(pairs: CandidatePairs, entity: str, relation: str, name: str) -> float:
    return float(pairs.features[pairs.pairs.index((entity, relation)), FEATURE_NAMES.index(name)])


def test_every_attribute_of_every_candidate_is_a_pair_and_so_is_none(
    phonetic: Callable[..., DialogueState], tracker: StateTracker
) -> None:
    state = phonetic("你知道青石岛吗？")
    pairs = candidate_pairs(state, tracker, NOTHING_KNOWN)
    wanted = [(one.name, relation) for one in state.candidates for relation in tracker.profile(one.name).relations]
    assert pairs.pairs == [NONE, *wanted]
    assert pairs.features.shape == (len(pairs.pairs), len(ENTITY) + len(PAIR))
    assert np.isfinite(pairs.features).all()


def test_an_attribute_that_the_question_names_is_seen(
    phonetic: Callable[..., DialogueState], tracker: StateTracker
) -> None:
    pairs = candidate_pairs(phonetic("青石岛的门票要多少钱？"), tracker, NOTHING_KNOWN)
    assert feature(pairs, "青石岛", "门票", "name whole 0") == 1
    assert feature(pairs, "青石岛", "开放时间", "name whole 0") == 0
    assert feature(pairs, "青石岛", "门票", "seen") == 1
    assert feature(pairs, "青石岛", "开放时间", "seen") == 0


def test_what_was_answered_already_is_seen(phonetic: Callable[..., DialogueState], tracker: StateTracker) -> None:
    pairs = candidate_pairs(phonetic("青石岛的门票呢？", "门票30元。", "那开放时间呢？"), tracker, NOTHING_KNOWN)
    assert feature(pairs, "青石岛", "门票", "value told 1") == 1
    assert feature(pairs, "青石岛", "开放时间", "value told 1") == 0


def test_without_a_history_there_is_only_none(phonetic: Callable[..., DialogueState], tracker: StateTracker) -> None:
    pairs = candidate_pairs(phonetic(), tracker, NOTHING_KNOWN)
    assert pairs.pairs == [NONE]
    assert pairs.features.shape == (1, len(FEATURE_NAMES))


def test_a_graph_with_other_names_gives_the_same_figures_and_words() -> None:
    def seen(entity: str, place: str) -> CandidatePairs:
        facts = [
            Fact(subject=entity, relation="门票", object="18元"),
            Fact(subject=entity, relation="地址", object=place),
        ]
        tracker = tracker_of(Graph("kg", facts), fuzzy=True)
        history = [Turn(speaker="user", text=f"{entity}在哪里？"), Turn(speaker="system", text=f"在{place}。")]
        state = tracker.track([*history, Turn(speaker="user", text="门票多少钱呢？")])
        return candidate_pairs(state, tracker, NOTHING_KNOWN)

    one, other = seen("松林公园", "云间城东路九号"), seen("鹤鸣水库", "雁回镇西街五号")
    assert one.features.tolist() == other.features.tolist()
    assert one.attributes == other.attributes
