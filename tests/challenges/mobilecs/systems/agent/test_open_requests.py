from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from tests.challenges.mobilecs.systems.agent.test_turn_options import BASE, FEE, NAME, RULE, decision

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.open_requests import of_names, remembered, widened

if TYPE_CHECKING:
    from numpy.typing import NDArray


def wanted(view: CallView) -> NDArray[np.float32]:
    """Read an utterance as one of the fee, or of the last piece, a type."""
    shares = np.zeros(len(view.pieces), dtype=np.float32)
    shares[FEE] = 0.8 * ("多少钱" in view.last)
    shares[-1] += 0.5 * ("什么业务" in view.last)
    return shares


def test_requests_fade_and_what_was_told_is_forgotten() -> None:
    asked = [("彩铃多少钱", "稍等"), ("好", "请讲")]
    assert np.isclose(remembered(CallView(asked, "喂", BASE), wanted)[FEE], 0.8 * 0.85**2)
    assert np.isclose(remembered(CallView(asked, "多少钱", BASE), wanted)[FEE], 0.8)
    told = [("彩铃多少钱", "五元")]
    assert remembered(CallView(told, "喂", BASE), wanted)[FEE] == 0
    assert np.isclose(remembered(CallView(told, "多少钱", BASE), wanted)[FEE], 0.8)


def test_a_long_call_is_looked_back_at_as_far_as_it_tells_something() -> None:
    read = []

    def counted(view: CallView) -> NDArray[np.float32]:
        read.append(view.last)
        return wanted(view)

    view = CallView([("彩铃多少钱", "稍等"), ("好", "请讲")] * 500, "喂", BASE)
    assert np.isclose(remembered(view, counted)[FEE], 0.8 * 0.85**2)
    assert len(read) < 250


def test_another_value_that_is_left_to_tell_keeps_a_piece() -> None:
    base = {"ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元,五块钱"}}
    assert remembered(CallView([("彩铃多少钱", "五元")], "喂", base), wanted)[FEE] > 0.6


def test_types_are_remembered_by_the_names_that_tell_them() -> None:
    view = CallView([], "有什么业务", BASE)
    found = of_names(view, wanted(view))
    assert (found[NAME], found[-1]) == (0.5, 0)


def test_actions_come_back_to_what_is_remembered() -> None:
    made = decision(CallView([], "喂", BASE), {})
    memory = np.zeros(len(made.view.pieces), dtype=np.float32)
    memory[[FEE, RULE]] = 0.4, 0.7
    wide = widened(made, memory)
    assert wide.actions[: len(made.actions)] == made.actions
    assert [action.tells for action in wide.actions[len(made.actions) :]] == [(RULE,), (RULE, FEE)]
    assert len(wide.values) == len(wide.actions)
    assert wide.memory is memory
    assert widened(made, np.zeros_like(memory)).actions == made.actions
    worn = decision(CallView([("喂", "次月生效"), ("喂", "次月生效")], "喂", BASE), {})
    assert widened(worn, memory).actions == made.actions


def test_a_value_that_is_left_may_be_told_once_more_and_names_of_a_type_no_third_time() -> None:
    base = {"ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元,五块钱"}}
    memory = np.array([0, 0.4, 0], dtype=np.float32)
    for said, ways in (("五元", [(FEE,)]), ("五元，五块钱", [])):
        view = CallView([("喂", said), ("喂", said)], "喂", base)
        made = decision(view, {})._replace(actions=[])
        assert [action.tells for action in widened(made, memory).actions] == ways
    names = np.array([0.4, 0, 0], dtype=np.float32)
    for count, ways in ((1, [(NAME,)]), (2, [])):
        view = CallView([("有什么业务", "彩铃")] * count, "喂", base)
        made = decision(view, {})._replace(actions=[])
        assert [action.tells for action in widened(made, names).actions] == ways
