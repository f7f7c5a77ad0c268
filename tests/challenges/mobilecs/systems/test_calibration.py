from __future__ import annotations

import numpy as np
import pytest

from duologue.challenges.mobilecs.systems.calibration import (
    Guess,
    balanced_levels,
    softened,
    temperature_of,
    trusted_share,
)


def test_probabilities_that_are_too_sure_are_softened_to_how_often_they_are_right() -> None:
    labels = np.array([0] * 70 + [1] * 30)
    sure = np.log(np.array([[0.99, 0.01]] * 100, dtype=np.float32))
    temperature = temperature_of(sure, labels)
    assert temperature > 3
    assert np.exp(softened(sure, temperature))[0, 0] == pytest.approx(0.7, abs=0.03)
    assert np.exp(softened(sure, 1.0)) == pytest.approx(np.exp(sure), abs=1e-5)


def test_labels_that_are_ignored_do_not_count() -> None:
    sure = np.log(np.array([[0.6, 0.4]] * 4, dtype=np.float32))
    assert temperature_of(sure, np.array([-100] * 4)) == 1.0
    assert temperature_of(sure, np.array([0, 0, -100, -100])) == temperature_of(sure[:2], np.array([0, 0]))


def test_guesses_are_trusted_as_long_as_they_gain() -> None:
    guesses = [Guess(0.9, right=True), Guess(0.8, right=False), Guess(0.7, right=True), Guess(0.6, right=True)]
    assert trusted_share(guesses, 1.0) == 1.0
    assert trusted_share(guesses, 3.0) == 0.25
    assert trusted_share([Guess(0.9, right=False)], 1.0) == 0.0
    assert trusted_share([], 1.0) == 0.0


def test_each_class_keeps_the_same_share() -> None:
    confidences = [(0, 0.9), (0, 0.8), (0, 0.7), (0, 0.6), (1, 0.3), (1, 0.2), (2, 0.99)]
    assert balanced_levels(confidences, 0.5) == {0: 0.8, 1: 0.3}
    assert balanced_levels(confidences, 0.0) == {}
