from __future__ import annotations

from typing import Any

from duologue.challenges.mobilecs.simulator.agenda import Agenda, KnownValue
from duologue.challenges.mobilecs.simulator.retrieval_realiser import RetrievalRealiser
from duologue.challenges.mobilecs.simulator.user_move import UserMove
from duologue.challenges.mobilecs.simulator.user_turns import turns_of_rows
from duologue.core.rng import Rng

ROW = {
    "KB": {"ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元"}},
    "content": [
        {"用户": "喂彩铃咋收费", "用户意图": "问候,询问(ent-1-业务费用)", "客服": "好", "客服意图": "通知"},
        {"用户": "彩铃要五元呐", "用户意图": "提供信息", "客服": "好", "客服意图": "通知"},
        {"用户": "晓得咯", "用户意图": "被动确认", "客服": "好", "客服意图": "通知"},
        {"用户": "拜拜咯", "用户意图": "再见", "客服": "好", "客服意图": "再见"},
    ],
}
BASE = {"ent-4": {"name": "飞享", "type": "主套餐", "业务费用": "八元"}}
GOAL: dict[str, Any] = {"ent-4": {"name": "飞享", "业务费用": "?", "用户意图": "询问"}}


def worded(*moves: UserMove) -> str:
    realiser = RetrievalRealiser(turns_of_rows([ROW])[0])
    realiser.reset(Agenda(GOAL, BASE), Rng(1))
    return realiser.words(moves, "好")


def test_what_was_said_is_said_of_other_services() -> None:
    question = UserMove("询问", "question", asked=tuple(Agenda(GOAL, BASE).open))
    assert worded(UserMove("问候", "greet_lead"), question) == worded(question) == "喂飞享咋收费"
    told = UserMove("提供信息", "tell", owner="ent-4", told=(KnownValue("ent-4", "业务费用", "八元"),))
    assert worded(told) == "飞享要八元呐"
    assert worded(UserMove("被动确认", "ack")) == "晓得咯"
    assert worded(UserMove("客套", "thanks"), UserMove("再见", "bye")) == "拜拜咯"


def test_what_nobody_said_is_worded_by_phrases() -> None:
    assert worded(UserMove("投诉反馈", "complain"))
    both = worded(UserMove("投诉反馈", "complain"), UserMove("被动确认", "ack"))
    assert both.endswith("，晓得咯")
