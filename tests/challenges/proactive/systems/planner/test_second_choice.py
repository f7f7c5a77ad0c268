from __future__ import annotations

import numpy as np
import pytest

from duologue.challenges.proactive.systems.planner.clauses import Subject, clauses_of
from duologue.challenges.proactive.systems.planner.recombination import Recombination, RecombinationWeights
from duologue.challenges.proactive.systems.planner.second_choice import (
    DRAWN_NAMES,
    NAMES,
    SecondChoice,
    fitted,
    reply_features,
)
from duologue.challenges.proactive.systems.planner.slots import Filling, SlotValue
from duologue.challenges.proactive.systems.planner.state import PlannerState
from duologue.challenges.proactive.systems.planner.word_model import WordModel

VALUES = (SlotValue("{A}", ("海",)), SlotValue("{a.导演}", ("李 安",)))
STATE = PlannerState(turn=0, domains="FS", relations=(), values=VALUES, history=(), said="", lines=())


def made(*texts: str) -> Recombination:
    replies = [clauses_of(tuple(text.split()), Filling(tuple(text.split()), ()), Subject(), "FS") for text in texts]
    return Recombination(replies, (0.4, 0.3, 0.2), RecombinationWeights(rounds=1), lambda _: 0.0)


def test_weights_that_made_the_utilities_are_found_again() -> None:
    rng = np.random.default_rng(1)
    true = rng.normal(size=len(NAMES))
    lists = [rng.normal(size=(8, len(NAMES))) for _ in range(400)]
    found = fitted([(features, features @ true + 3.0) for features in lists])
    assert found == pytest.approx(true, abs=0.05)
    assert fitted([]) == [0.0] * len(NAMES)


def test_a_reply_of_likely_words_is_chosen_where_these_weigh() -> None:
    replies = ("海 好看 。", "天 冷 。", "{A} 好看 。")
    recombination = made("海 好看 。", "天 冷 。", "雨 大 。")
    found = recombination.replies(Subject(), lambda _: True)
    words = WordModel([], ["{A}", "好看", "。", "天"])
    words.network.start_from([words.row([], reply.split()) for reply in replies] * 4)
    features = reply_features(words, STATE, recombination, found)
    assert features.shape == (len(found), len(NAMES))
    assert features.mean(axis=0) == pytest.approx(0.0, abs=1e-9)
    weights = [float(name == "characters, by the word model") for name in NAMES]
    worths = SecondChoice(words, weights).worths(STATE, recombination, found)
    assert "".join(found[int(np.argmax(worths))].filling.words) == "海好看。"
    slots = [float(name == "slots, by the word model") for name in NAMES]
    worths = SecondChoice(words, slots).worths(STATE, recombination, found)
    assert "海" in found[int(np.argmax(worths))].filling.words


def test_a_reply_that_agrees_with_drawn_ones_is_chosen_where_this_weighs() -> None:
    recombination = made("海 好看 。", "天 冷 。", "雨 大 。")
    found = recombination.replies(Subject(), lambda _: True)
    words = WordModel([], ["好看"])
    drawn = [("今天", "天", "冷"), ("天", "冷", "。")]
    features = reply_features(words, STATE, recombination, found, drawn)
    assert features.shape == (len(found), len(NAMES) + len(DRAWN_NAMES))
    assert features[:, : len(NAMES)].tolist() == reply_features(words, STATE, recombination, found).tolist()
    assert not reply_features(words, STATE, recombination, found, [])[:, len(NAMES) :].any()
    second = SecondChoice(words, [0.0] * len(NAMES) + [1.0] * len(DRAWN_NAMES))
    worths = second.worths(STATE, recombination, found, drawn)
    assert "".join(found[int(np.argmax(worths))].filling.words) == "天冷。"
    assert not second.worths(STATE, recombination, found).any()  # nothing was drawn
    assert not SecondChoice(words, [0.0] * len(NAMES)).worths(STATE, recombination, found, drawn).any()


def test_weights_of_other_features_are_refused() -> None:
    with pytest.raises(ValueError, match=f"has 2 weights, expected {len(NAMES)}"):
        SecondChoice(WordModel([], []), [1.0, 2.0])
