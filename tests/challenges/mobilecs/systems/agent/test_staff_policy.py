from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import torch

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.network import TurnProbabilities
from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
from duologue.challenges.mobilecs.systems.agent.staff_policy import (
    StaffAction,
    SupervisedPolicy,
    merits_of,
    options,
    ways_to_tell,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

BASE = {
    "ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元", "业务规则": "次月生效"},
    "NA": {"账户余额": "三十块"},
}
SETS = [("通知",), ("通知", "被动确认"), ("询问",)]
NAME, FEE, RULE, BALANCE, TYPE = range(5)


def read(view: CallView, wanted: dict[int, float], told: dict[int, float]) -> TurnProbabilities:
    rows = np.zeros((2, len(view.pieces)), dtype=np.float32)
    for row, given in zip(rows, (wanted, told), strict=True):
        for piece, share in given.items():
            row[piece] = share
    return TurnProbabilities(np.zeros(14, np.float32), rows[0], rows[0], rows[1], [torch.zeros(1, 1)])


def test_what_is_asked_for_is_worth_telling_unless_it_is_worn_out() -> None:
    fresh = CallView([], "多少钱", BASE)
    given = read(fresh, {FEE: 0.5, BALANCE: 0.1}, {FEE: 0.1, RULE: 0.4})
    assert np.allclose(merits_of(fresh, given, 1.0), [0, 0.6, 0.4, 0.1, 0, 0][: len(fresh.pieces)])
    once = CallView([("彩铃", "五元"), ("嗯", "次月生效")], "多少钱", BASE)
    assert np.allclose(merits_of(once, given, 1.0)[[FEE, RULE]], [0.6, 0])
    twice = CallView([("彩铃", "五元"), ("嗯", "五元")], "多少钱", BASE)
    assert merits_of(twice, given, 1.0)[FEE] == 0


def test_a_type_is_told_by_a_name() -> None:
    view = CallView([], "有什么业务", BASE)
    merits = merits_of(view, read(view, {TYPE: 0.7}, {}), 1.0)
    assert np.isclose(merits[NAME], 0.7)
    assert merits[TYPE] == 0


def test_a_name_is_not_told_beside_its_slots() -> None:
    view = CallView([], "彩铃", BASE)
    merits = np.array([0.9, 0.8, 0.7, 0.2, 0.0], dtype=np.float32)
    assert ways_to_tell(view, merits, 2) == [(), (NAME,), (FEE,), (RULE,)]
    assert ways_to_tell(view, merits * np.array([0, 1, 1, 1, 1], np.float32), 2)[-1] == (FEE, RULE)
    assert ways_to_tell(view, merits, 0) == [()]


def test_the_supervised_policy_takes_the_action_of_most_value() -> None:
    view = CallView([], "彩铃多少钱", BASE)
    given = read(view, {FEE: 0.9}, {FEE: 0.3})

    def shares(ways: Sequence[tuple[int, ...]]) -> NDArray[np.float32]:
        return np.array([[0.2, 0.1, 0.7] if not way else [0.6, 0.3, 0.1] for way in ways], dtype=np.float32)

    decision = options(view, given, SETS, shares, msgspec.structs.replace(AgentRecipe(), tell=0.5))
    assert len(decision.actions) == len(decision.values) == 2 * len(SETS)
    action = decision.actions[SupervisedPolicy().choose(decision)]
    assert (action.tells, action.labels, action.kind) == ((FEE,), ("通知",), "answer")
    shy = options(view, given, SETS, shares, msgspec.structs.replace(AgentRecipe(), tell=9.0))
    assert shy.actions[SupervisedPolicy().choose(shy)] == StaffAction(("询问",), ())
