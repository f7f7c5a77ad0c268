from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.challenges.mobilecs.simulator.simulated_calls import calls

from duologue.challenges.mobilecs.simulator.act_dialogue import (
    ACTIONS,
    LABELS,
    OBSERVATION,
    PIECE,
    PIECES,
    PLAIN,
    STATE,
    ActDialogue,
    pieces_of_base,
)
from duologue.core.rng import Rng

BASE = {
    "ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元"},
    "ent-2": {"name": "飞享", "type": "主套餐", "业务费用": "三十八元"},
    "NA": {"账户余额": "十元"},
}
GOAL = {"ent-1": {"name": "彩铃", "业务费用": "?", "用户意图": "求助-查询"}}


def played(policy: Any, *, error_rate: float = 0.0, seed: int = 1, row: Any = None) -> list[Any]:
    """Return observations and steps of a dialogue."""
    dialogue = ActDialogue(error_rate=error_rate)
    row = row or {"goal": GOAL, "KB": BASE}
    observation = dialogue.reset(row["goal"], row["KB"], seed)
    found: list[Any] = []
    while not found or not found[-1][1].done:
        observation, step = dialogue.step(policy(observation))
        found.append((observation, step))
    return found


def surest(observation: Any) -> int:
    """Tell the surest piece where something is asked for, else invite."""
    return 0 if observation[LABELS + STATE + 1] > 0.3 else 2 * PIECES + 2


def test_pieces_of_a_base() -> None:
    assert [one.argument for one in pieces_of_base(BASE)] == [
        *("ent-1-业务费用", "ent-2-业务费用", "账户余额", "业务", "套餐", "主套餐")
    ]
    assert [one.argument for one in pieces_of_base({"ent-1": {"type": "业务", "业务费用": "五元"}})] == [
        "ent-1-业务费用"
    ]


def test_whoever_hears_right_and_tells_what_is_asked_always_succeeds() -> None:
    for number, row in enumerate(calls()):
        steps = played(surest, seed=number, row=row)
        assert steps[-1][1].info.open == 0
        assert not any(step.info.groundless for _, step in steps)


def test_misheard_requests_cost() -> None:
    rewards = [
        sum(
            step.info.reward
            for seed in range(3)
            for row in calls()
            for _, step in played(surest, error_rate=rate, seed=seed, row=row)
        )
        for rate in (0, 0.3)
    ]
    assert rewards[0] > rewards[1]


def test_observations_are_shares_of_the_documented_shape() -> None:
    rng = Rng(4)
    for row in calls()[:20]:
        for observation, _ in played(lambda _: rng.below(ACTIONS), error_rate=0.3, row=row):
            assert observation.shape == (OBSERVATION,) == (LABELS + STATE + PIECES * PIECE,)
            assert observation.dtype == np.float32
            assert observation.min() >= 0
            assert observation.max() <= 1


def test_equal_seeds_and_actions_give_equal_dialogues() -> None:
    first, second, other = (played(surest, error_rate=0.5, seed=seed, row=calls()[3]) for seed in (1, 1, 2))
    assert [step for _, step in first] == [step for _, step in second] != [step for _, step in other]


def asked(seed_from: int = 0) -> ActDialogue:
    """Return a dialogue whose user asks for the fee at once."""
    dialogue = ActDialogue(error_rate=0.0)
    for seed in range(seed_from, seed_from + 50):
        dialogue.reset(GOAL, BASE, seed)
        if dialogue.candidates()[0].now:
            return dialogue
    raise AssertionError("no seed asks at once")


def test_what_is_to_be_confirmed_is_denied_or_confirmed() -> None:
    dialogue = asked()
    numbers = {one.argument: place for place, one in enumerate(dialogue.candidates())}
    _, step = dialogue.step(PIECES + numbers["ent-2-业务费用"])
    assert "否认" in step.intent
    assert {one.argument for one in dialogue.pieces if one.is_denied} == {"ent-2-业务费用"}
    _, step = dialogue.step(PIECES)
    assert step.intent == "被动确认"
    assert (dialogue.candidates()[0].argument, dialogue.candidates()[0].now) == ("ent-1-业务费用", 1)
    observation, step = dialogue.step(0)
    assert step.info.fulfilled == ("ent-1-业务费用",)
    assert observation[LABELS + 3] == 1


@pytest.mark.parametrize("number", range(len(PLAIN)))
def test_actions_that_tell_nothing(number: int) -> None:
    _, step = asked().step(2 * PIECES + number)
    assert step.info.reply == PLAIN[number][1]
    assert step.done == (PLAIN[number][0] == "再见")


def test_actions_without_a_piece_are_masked_and_do_nothing() -> None:
    dialogue = asked()
    mask = dialogue.mask()
    assert mask.tolist() == [1] * 6 + [0] * 2 + [1] * 6 + [0] * 2 + [1] * 6
    assert dialogue.step(7)[1].info.open == 1
    assert dialogue.step(PIECES + 7)[1].info.open == 1


def test_a_wrong_piece_is_without_ground() -> None:
    dialogue = asked()
    wrong = [one.argument for one in dialogue.candidates()].index("账户余额")
    assert dialogue.step(wrong)[1].info.groundless == 1
