from __future__ import annotations

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.realiser import Realiser, most_agreed
from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffAction
from duologue.challenges.mobilecs.systems.agent.staff_templates import AnsweredTurn, templates_of
from duologue.challenges.mobilecs.systems.agent.turn_encoder import TurnTruth

LEARNED = {
    "ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元", "业务规则": "次月"},
    "NA": {"账户余额": "三块"},
}
BASE = {
    "ent-7": {"name": "飞享套餐", "type": "套餐", "业务费用": "三十八元", "流量总量": "一个G,十个G"},
    "NA": {"账户余额": "九块"},
}
REPLIES = [
    ("彩铃每月五元", ("通知",)),
    ("收五元的", ("被动确认", "通知")),
    ("有彩铃可以办", ("通知",)),
    ("您还有三块", ("通知",)),
    ("好的", ("客套",)),
    ("请问还有什么", ("询问",)),
]
NAME, FEE, VOLUME, BALANCE = range(4)


def realiser() -> Realiser:
    turns = [
        AnsweredTurn(
            str(place),
            CallView([], "喂", LEARNED),
            TurnTruth(frozenset(), frozenset(), frozenset(), labels, frozenset()),
            reply,
        )
        for place, (reply, labels) in enumerate(REPLIES)
    ]
    return Realiser(templates_of(turns, common=1), pool=9)


def said(action: StaffAction, *history: tuple[str, str], last: str = "喂") -> str:
    return realiser().reply(CallView(history, last, BASE), action)


def test_an_action_is_said_with_the_values_of_this_base() -> None:
    assert said(StaffAction(("通知",), (FEE,))) == "飞享套餐每月三十八元"
    assert said(StaffAction(("被动确认", "通知"), (FEE,))) == "收三十八元的"
    assert said(StaffAction(("通知",), (NAME,))) == "有飞享套餐可以办"
    assert said(StaffAction(("通知",), (BALANCE,))) == "您还有九块"
    assert said(StaffAction(("询问",), ())) == "请问还有什么"


def test_what_no_template_tells_is_told_piece_by_piece() -> None:
    assert said(StaffAction(("通知",), (FEE, BALANCE))) == "飞享套餐每月三十八元，您还有九块"
    assert said(StaffAction(("通知",), (VOLUME,))) == "一个G"


def test_a_value_that_the_user_knows_is_not_the_answer() -> None:
    assert said(StaffAction(("通知",), (VOLUME,)), last="不是一个g吗") == "十个G"


def test_a_name_is_no_habit_and_a_reply_is_not_said_again() -> None:
    twice = [("喂", "有飞享套餐可以办"), ("嗯", "有飞享套餐可以办")]
    assert said(StaffAction(("通知",), (FEE,)), *twice) == "飞享套餐每月三十八元"  # nothing else has these labels
    assert said(StaffAction(("引导",), (FEE,)), *twice) == "收三十八元的"
    assert said(StaffAction(("通知",), (FEE,)), ("喂", "飞享套餐每月三十八元")) == "飞享套餐每月三十八元"


def test_the_text_that_most_agree_with_is_taken() -> None:
    assert most_agreed([("您好", 1), ("您好请讲", 1), ("再见", 1)]) == 0
    assert most_agreed([("再见", 5), ("您好请讲", 1)]) == 0


def test_without_templates_values_stand_alone() -> None:
    view = CallView([], "喂", BASE)
    assert Realiser([], pool=5).reply(view, StaffAction(("通知",), (FEE, BALANCE))) == "三十八元，九块"
    assert Realiser([], pool=5).reply(view, StaffAction(("询问",), ())) == ""
