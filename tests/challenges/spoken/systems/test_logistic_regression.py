from __future__ import annotations

import numpy as np
import pytest

from duologue.challenges.spoken.systems.logistic_regression import fit, sigmoid


def test_the_weight_of_a_telling_feature_is_found() -> None:
    rows = np.array([[1.0, gain, 0.5, 0.0, -2.0] for gain in range(-10, 11)])
    bias, gain, *_ = fit(rows, (rows[:, 1] > 2).astype(float), steps=25)
    assert gain > 0.3
    assert bias < 0
    assert bias + gain * 10 > 0 > bias


def test_without_features_the_bias_is_the_log_odds_of_the_share() -> None:
    (bias,) = fit(np.ones((4000, 1)), (np.arange(4000) % 4 == 0).astype(float), steps=25)
    assert bias == pytest.approx(np.log(1 / 3), abs=0.01)


def test_a_step_below_the_tolerance_is_the_last() -> None:
    rows, labels = np.column_stack([np.ones(40), np.arange(40.0)]), (np.arange(40) > 20).astype(float)
    one_step, stopped = fit(rows, labels, steps=1), fit(rows, labels, steps=25, tolerance=1e9)
    assert np.array_equal(stopped, one_step)
    assert not np.array_equal(fit(rows, labels, steps=25), one_step)


def test_the_sigmoid_of_a_very_large_score_is_finite() -> None:
    assert sigmoid(np.array([-1e6, 0.0, 1e6])) == pytest.approx([0.0, 0.5, 1.0], abs=1e-12)
