from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from duologue.challenges.spoken.systems.grounded.features import CorpusCounts, candidate_pairs
from duologue.challenges.spoken.systems.grounded.triple_choice import (
    ValueExample,
    fit_value_selector,
    restrict_to,
    select_triples,
    value_features,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.challenges.spoken.systems.grounded.dialogue_state import DialogueState, StateTracker
    from duologue.challenges.spoken.systems.grounded.features import CandidatePairs

ACTORS = ("雾港（2015年电影）", "主演")


def sure_of(pairs: CandidatePairs, *wanted: tuple[str, str], quiet: float = 0.0) -> np.ndarray:
    shares = np.zeros(len(pairs.pairs), dtype=np.float32)
    shares[0] = quiet
    for pair in wanted:
        shares[pairs.pairs.index(pair)] = (1 - quiet) / len(wanted)
    return shares


@pytest.fixture
def state(phonetic: Callable[..., DialogueState]) -> DialogueState:
    return phonetic("你看过电影雾港吗？", "看过。", "主演有谁？")


@pytest.fixture
def pairs(state: DialogueState, tracker: StateTracker) -> CandidatePairs:
    return candidate_pairs(state, tracker, CorpusCounts({}, {}))


def test_all_values_are_taken_where_nothing_was_learned(
    state: DialogueState, tracker: StateTracker, pairs: CandidatePairs
) -> None:
    chosen = select_triples(pairs, sure_of(pairs, ACTORS), state, tracker, fit_value_selector([]), 0.7)
    assert [fact.object for fact in chosen.facts] == ["卡尔·莫林", "苏雁"]


def test_values_that_were_said_before_can_be_left_out(
    tracker: StateTracker, phonetic: Callable[..., DialogueState]
) -> None:
    state = phonetic("雾港的主演有谁？", "有苏雁。", "还有谁呢？")
    features = value_features(state, tracker, ACTORS)
    said = features[:, 3]
    assert said.tolist() == [0, 1]
    values = fit_value_selector([ValueExample("主演", features, 1 - said)] * 20)
    pairs = candidate_pairs(state, tracker, CorpusCounts({}, {}))
    chosen = select_triples(pairs, sure_of(pairs, ACTORS), state, tracker, values, 0.7)
    assert [fact.object for fact in chosen.facts] == ["卡尔·莫林"]


def test_two_attributes_that_are_equally_likely_are_both_taken(
    state: DialogueState, tracker: StateTracker, pairs: CandidatePairs
) -> None:
    wanted = [(ACTORS[0], "片长"), (ACTORS[0], "票房")]
    chosen = select_triples(pairs, sure_of(pairs, *wanted), state, tracker, fit_value_selector([]), 0.7)
    assert {(fact.subject, fact.relation) for fact in chosen.facts} == set(wanted)


def test_a_reply_without_knowledge_has_no_triples(
    state: DialogueState, tracker: StateTracker, pairs: CandidatePairs
) -> None:
    shares = sure_of(pairs, ACTORS, quiet=0.8)
    quiet = select_triples(pairs, shares, state, tracker, fit_value_selector([]), 0.7)
    assert quiet.facts == ()
    assert quiet.silence == pytest.approx(0.8)
    assert select_triples(pairs, shares, state, tracker, fit_value_selector([]), 1.0).facts


def test_probabilities_are_renormalised_over_what_is_allowed(pairs: CandidatePairs) -> None:
    wanted = [(ACTORS[0], "片长"), (ACTORS[0], "票房")]
    shares = sure_of(pairs, *wanted, quiet=0.5)
    left = restrict_to(pairs, shares, [pair == wanted[0] for pair in pairs.pairs])
    assert left[0] == pytest.approx(2 / 3)
    assert left[pairs.pairs.index(wanted[0])] == pytest.approx(1 / 3)
    assert left[pairs.pairs.index(wanted[1])] == 0
    assert restrict_to(pairs, shares, [False] * len(pairs.pairs)) is shares
