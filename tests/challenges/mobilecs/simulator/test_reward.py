from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.simulator.reward import Reward


def test_terms_are_those_of_the_specification() -> None:
    reward = Reward()
    assert reward.of_turn(answered=0, groundless=0, is_repeated=False) == -0.05
    assert reward.of_turn(answered=2, groundless=1, is_repeated=True) == pytest.approx(-0.05 + 0.2 - 0.2 - 0.1)
    assert (reward.of_end(is_missing=False), reward.of_end(is_missing=True)) == (1, -0.5)


def test_a_term_can_be_switched_off() -> None:
    reward = Reward(turn=0, groundless=0)
    assert reward.of_turn(answered=0, groundless=3, is_repeated=False) == 0
