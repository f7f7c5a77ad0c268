from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.spoken.systems.grounded.features import ENTITY, FIGURES, NONE, PAIR, Background, pairs_of
from duologue.challenges.spoken.systems.grounded.room import tracker_of
from duologue.core.records import Fact, Turn
from duologue.knowledge.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.challenges.spoken.systems.grounded.dialogue_state import Situation, Tracker
    from duologue.challenges.spoken.systems.grounded.features import Pairs

NOTHING_KNOWN = Background({}, {"门票": 3})


def figure(pairs: Pairs, entity: str, relation: str, name: str) -> float:
    return float(pairs.figures[pairs.pairs.index((entity, relation)), FIGURES.index(name)])


def test_every_attribute_of_every_candidate_is_a_pair_and_so_is_none(
    heard: Callable[..., Situation], tracker: Tracker
) -> None:
    now = heard("你知道青石岛吗？")
    pairs = pairs_of(now, tracker, NOTHING_KNOWN)
    wanted = [(one.name, relation) for one in now.candidates for relation in tracker.profile(one.name).relations]
    assert pairs.pairs == [NONE, *wanted]
    assert pairs.figures.shape == (len(pairs.pairs), len(ENTITY) + len(PAIR))
    assert np.isfinite(pairs.figures).all()


def test_an_attribute_that_the_question_names_is_seen(heard: Callable[..., Situation], tracker: Tracker) -> None:
    pairs = pairs_of(heard("青石岛的门票要多少钱？"), tracker, NOTHING_KNOWN)
    assert figure(pairs, "青石岛", "门票", "name whole 0") == 1
    assert figure(pairs, "青石岛", "开放时间", "name whole 0") == 0
    assert figure(pairs, "青石岛", "门票", "seen") == 1
    assert figure(pairs, "青石岛", "开放时间", "seen") == 0


def test_what_was_answered_already_is_seen(heard: Callable[..., Situation], tracker: Tracker) -> None:
    pairs = pairs_of(heard("青石岛的门票呢？", "门票30元。", "那开放时间呢？"), tracker, NOTHING_KNOWN)
    assert figure(pairs, "青石岛", "门票", "value told 1") == 1
    assert figure(pairs, "青石岛", "开放时间", "value told 1") == 0


def test_without_a_history_there_is_only_none(heard: Callable[..., Situation], tracker: Tracker) -> None:
    pairs = pairs_of(heard(), tracker, NOTHING_KNOWN)
    assert pairs.pairs == [NONE]
    assert pairs.figures.shape == (1, len(FIGURES))


def test_a_graph_with_other_names_gives_the_same_figures_and_words() -> None:
    def seen(entity: str, place: str) -> Pairs:
        facts = [
            Fact(subject=entity, relation="门票", object="18元"),
            Fact(subject=entity, relation="地址", object=place),
        ]
        tracker = tracker_of(Graph("kg", facts), fuzzy=True)
        history = [Turn(speaker="user", text=f"{entity}在哪里？"), Turn(speaker="system", text=f"在{place}。")]
        now = tracker.situation([*history, Turn(speaker="user", text="门票多少钱呢？")])
        return pairs_of(now, tracker, NOTHING_KNOWN)

    one, other = seen("松林公园", "云间城东路九号"), seen("鹤鸣水库", "雁回镇西街五号")
    assert one.figures.tolist() == other.figures.tolist()
    assert one.attributes == other.attributes
