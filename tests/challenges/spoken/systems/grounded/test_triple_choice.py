from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from duologue.challenges.spoken.systems.grounded.features import Background, pairs_of
from duologue.challenges.spoken.systems.grounded.triple_choice import Lesson, choose, learn_values, value_figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.challenges.spoken.systems.grounded.dialogue_state import Situation, Tracker
    from duologue.challenges.spoken.systems.grounded.features import Pairs

ACTORS = ("雾港（2015年电影）", "主演")


def sure_of(pairs: Pairs, *wanted: tuple[str, str], quiet: float = 0.0) -> np.ndarray:
    shares = np.zeros(len(pairs.pairs), dtype=np.float32)
    shares[0] = quiet
    for pair in wanted:
        shares[pairs.pairs.index(pair)] = (1 - quiet) / len(wanted)
    return shares


@pytest.fixture
def now(heard: Callable[..., Situation]) -> Situation:
    return heard("你看过电影雾港吗？", "看过。", "主演有谁？")


@pytest.fixture
def pairs(now: Situation, tracker: Tracker) -> Pairs:
    return pairs_of(now, tracker, Background({}, {}))


def test_all_values_are_taken_where_nothing_was_learned(now: Situation, tracker: Tracker, pairs: Pairs) -> None:
    chosen = choose(pairs, sure_of(pairs, ACTORS), now, tracker, learn_values([]), 0.7)
    assert [fact.object for fact in chosen.facts] == ["苏雁", "卡尔·莫林"]


def test_values_that_were_said_before_can_be_left_out(tracker: Tracker, heard: Callable[..., Situation]) -> None:
    now = heard("雾港的主演有谁？", "有苏雁。", "还有谁呢？")
    figures = value_figures(now, tracker, ACTORS)
    said = figures[:, 3]
    assert said.tolist() == [1, 0]
    values = learn_values([Lesson("主演", figures, 1 - said)] * 20)
    pairs = pairs_of(now, tracker, Background({}, {}))
    chosen = choose(pairs, sure_of(pairs, ACTORS), now, tracker, values, 0.7)
    assert [fact.object for fact in chosen.facts] == ["卡尔·莫林"]


def test_two_attributes_that_are_equally_likely_are_both_taken(now: Situation, tracker: Tracker, pairs: Pairs) -> None:
    wanted = [(ACTORS[0], "片长"), (ACTORS[0], "票房")]
    chosen = choose(pairs, sure_of(pairs, *wanted), now, tracker, learn_values([]), 0.7)
    assert {(fact.subject, fact.relation) for fact in chosen.facts} == set(wanted)


def test_a_reply_without_knowledge_has_no_triples(now: Situation, tracker: Tracker, pairs: Pairs) -> None:
    shares = sure_of(pairs, ACTORS, quiet=0.8)
    quiet = choose(pairs, shares, now, tracker, learn_values([]), 0.7)
    assert quiet.facts == ()
    assert quiet.silence == pytest.approx(0.8)
    assert choose(pairs, shares, now, tracker, learn_values([]), 1.0).facts
