from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from duologue.challenges.spoken.systems.asr_correction.corrector import Repairer
from duologue.challenges.spoken.systems.asr_correction.edit_weights import _logistic, learn_weights


def test_the_regression_finds_what_speaks_for_a_mend() -> None:
    rows = np.array([[1.0, gain, 0.5, 0.0, -2.0] for gain in range(-10, 11)])
    bias, gain, *_ = _logistic(rows, (rows[:, 1] > 2).astype(float))
    assert gain > 0.3
    assert bias < 0
    assert bias + gain * 10 > 0 > bias


def test_the_regression_agrees_with_the_share_where_nothing_else_is_known() -> None:
    (bias,) = _logistic(np.ones((4000, 1)), np.arange(4000) % 4 == 0)
    assert bias == pytest.approx(np.log(1 / 3), abs=0.01)


def test_the_fewer_clean_texts_may_be_touched_the_higher_the_threshold() -> None:
    texts = [
        "".join(parts) for parts in product(("那", "好的，", ""), ("这个景点", "这部电影"), ("贵吗？", "好看吗？"))
    ]
    repairer = Repairer.learn(texts * 3)
    _, never = learn_weights(repairer, texts, 1, 0.0)
    weights, always = learn_weights(repairer, texts, 1, 1.0 - 1e-9)
    assert never >= always
    assert all(len(row) == 5 for row in weights.values())


def test_without_texts_there_is_nothing_to_weigh() -> None:
    weights, threshold = learn_weights(Repairer.learn([]), [], 1, 0.01)
    assert (weights, threshold > 0) == ({}, True)
