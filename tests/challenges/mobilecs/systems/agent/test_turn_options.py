from __future__ import annotations

import numpy as np
import torch

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.network import TurnProbabilities
from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffAction, StaffDecision, SupervisedPolicy
from duologue.challenges.mobilecs.systems.agent.turn_options import KINDS, OPTION_FEATURES, options_of

BASE = {
    "ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元", "业务规则": "次月生效"},
    "NA": {"账户余额": "三十块"},
}
NAME, FEE, RULE, BALANCE, TYPE = range(5)
ACTIONS = [
    StaffAction(("通知",), ()),
    StaffAction(("询问",), ()),
    StaffAction(("通知", "询问"), ()),
    StaffAction(("通知",), (FEE,)),
    StaffAction(("被动确认", "通知"), (FEE,)),
    StaffAction(("通知",), (NAME,)),
]
VALUES = [0.2, 0.2, 0.3, 0.5, 0.6, 0.4]


def decision(view: CallView, wanted: dict[int, float]) -> StaffDecision:
    shares = np.zeros(len(view.pieces), dtype=np.float32)
    for piece, share in wanted.items():
        shares[piece] = share
    read = TurnProbabilities(np.full(14, 0.25, np.float32), shares, shares, shares, [torch.zeros(1, 1)])
    values = np.array(VALUES, dtype=np.float32)
    return StaffDecision(view, read, ACTIONS, values, np.zeros_like(values))


def test_options_are_each_way_to_tell_and_each_kind_of_turn_that_tells_nothing() -> None:
    made = decision(CallView([], "彩铃多少钱", BASE), {FEE: 0.9})
    options = options_of(made)
    assert options.actions == [0, 2, 4, 5]
    assert options.actions[options.supervised] == SupervisedPolicy().choose(made) == 4
    assert options.features.shape == (4, len(OPTION_FEATURES))
    unfit = made._replace(tell_values=np.array([0.1, *VALUES[1:]], dtype=np.float32))
    assert options_of(unfit).actions == [2, 4, 5]


def test_what_is_known_of_an_option() -> None:
    view = CallView([("彩铃", "五元")], "彩铃多少钱", BASE)
    options = options_of(decision(view, {FEE: 0.9, RULE: 0.4, TYPE: 0.7}))
    say, ask, fee, name = (dict(zip(OPTION_FEATURES, row.round(3), strict=True)) for row in options.features)
    assert (fee["value"], say["value"], fee["pieces"], fee["wanted"], fee["told before"]) == (0, -0.4, 0.5, 0.9, 1)
    assert (name["names"], name["wanted"], name["told before"]) == (1, 0.7, 0)
    assert (say["wanted more than these"], fee["wanted more than these"]) == (0.7, 0)
    assert (ask["ask: any"], ask["say: any"], say["say: any"], fee["answer: any"]) == (1, 0, 1, 1)
    assert (fee["tells: most wanted, told"], fee["tells: last reply told"]) == (0.9, 1)
    assert fee["tells: likeness to the turn before"] == 0.25
    assert (fee["remembered"], say["remembered more than these"]) == (0, 0)
    assert set(KINDS) == {name.partition(":")[0] for name in OPTION_FEATURES if ": " in name} - {"tells"}


def test_what_is_remembered_is_known_of_an_option() -> None:
    made = decision(CallView([], "彩铃多少钱", BASE), {})
    memory = np.zeros(len(made.view.pieces), dtype=np.float32)
    memory[[FEE, RULE]] = 0.5, 0.75
    say, _, fee, _ = (
        dict(zip(OPTION_FEATURES, row, strict=True)) for row in options_of(made._replace(memory=memory)).features
    )
    assert (fee["remembered"], fee["remembered more than these"], say["remembered more than these"]) == (
        0.5,
        0.25,
        0.75,
    )
    assert fee["tells: most remembered"] == 0.75


def test_who_would_end_the_call_may_stay() -> None:
    made = decision(CallView([], "没有了", BASE), {})
    actions = [StaffAction(("再见",), ()), StaffAction(("询问",), ())]
    made = made._replace(
        actions=actions, tell_values=np.array([0.9, 0.1], np.float32), label_values=np.zeros(2, np.float32)
    )
    options = options_of(made)
    assert (options.actions, options.supervised) == ([0, 1], 0)
    bye, ask = (dict(zip(OPTION_FEATURES, row, strict=True)) for row in options.features)
    assert (bye["bye: nothing told so far"], ask["ask: nothing told so far"], bye["close: any"]) == (1, 1, 0)
