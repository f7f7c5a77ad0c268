from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.systems.agent.strict_reward import StrictReward

ROW = {
    "goal": {"ent-1": {"name": "彩铃", "业务费用": "?", "用户意图": "询问"}},
    "KB": {"ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元"}},
}
ASKS = ("彩铃多少钱", "询问(ent-1-业务费用)")


def test_an_answer_in_time_is_rewarded_at_the_end() -> None:
    reward = StrictReward(ROW, 0.5)
    assert reward.of_turn(*ASKS, "五元") == 0
    assert reward.of_end() == 0.5


def test_no_answer_and_a_late_one_are_not() -> None:
    none, late = StrictReward(ROW, 0.5), StrictReward(ROW, 0.5)
    none.of_turn(*ASKS, "稍等")
    assert none.of_end() == 0
    late.of_turn(*ASKS, "稍等")
    for reply in ("稍等", "稍等", "五元"):
        late.of_turn("嗯", "被动确认", reply)
    assert late.of_end() == 0


def test_a_value_in_a_third_reply_costs_once() -> None:
    reward = StrictReward(ROW, 0.5)
    assert [reward.of_turn(*ASKS, "五元") for _ in range(4)] == [0, 0, -0.5, 0]
    assert reward.of_end() == 0


@pytest.mark.parametrize("reply", ["五元", "稍等"])
def test_without_an_amount_nothing_is_rewarded(reply: str) -> None:
    reward = StrictReward(ROW, 0.0)
    assert [reward.of_turn(*ASKS, reply) for _ in range(3)] == [0, 0, 0]
    assert reward.of_end() == 0
