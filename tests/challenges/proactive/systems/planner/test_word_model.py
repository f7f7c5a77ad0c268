from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.proactive.systems.planner.word_model import WordModel, reply_words, without_number
from duologue.core.protocols import Run
from duologue.models.train import TrainConfig

if TYPE_CHECKING:
    from pathlib import Path


def test_words_and_slots_are_told_apart_by_occurrence_twice_at_most() -> None:
    words = reply_words(["{b.评论#0}", "，", "好", "，", "真", "好", "，", "对"])
    assert list(map(without_number, words)) == ["{b.评论}", "，", "好", "，", "真", "好", "对"]
    assert len(set(words)) == len(words) == 7  # the third comma is not asked for


def test_it_learns_which_words_follow_which_state(tmp_path: Path) -> None:
    said = {"U:你好": "你 好 呀", "U:谁演的": "{a.主演} 演 的", "U:几分": "{a.时光网评分} 分"}
    model = WordModel(list(said), sorted({word for line in said.values() for word in reply_words(line.split())}))
    rows = [model.row([state], line.split()) for state, line in said.items()] * 40
    config = TrainConfig(epochs=15, batch=8, learning_rate=1e-2, choose="loss")
    model.train(rows, rows[:3], config, Run(folder=tmp_path, seed=1))
    found = model.probabilities([[state] for state in said])
    for likely, line in zip(found, said.values(), strict=True):
        assert {word for word, chance in likely.items() if chance > 0.5} == set(line.split())


def test_before_it_reads_anything_a_word_is_as_likely_as_it_is_frequent() -> None:
    model = WordModel(["U:嗯"], ["好", "对"])
    rows = [model.row([], ["好"])] * 3 + [model.row([], ["对"])]
    model.network.start_from(rows)
    (likely,) = model.probabilities([["U:没听过"]])
    assert likely["好"] == pytest.approx(0.75, abs=0.1)
    assert likely["对"] == pytest.approx(0.25, abs=0.1)
