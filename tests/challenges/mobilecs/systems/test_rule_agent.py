from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.knowledge.kb import facts_of
from duologue.challenges.mobilecs.systems.rule_agent import RuleAgent
from duologue.core.records import Answer, Sample, Turn

BASE = {
    "ent-1": {"name": "彩铃,那个彩铃", "type": "业务", "业务费用": "五元"},
    "ent-2": {"name": "飞享套餐", "type": "主套餐", "业务费用": "三十八元", "流量总量": "一个G"},
    "ent-3": {"type": "套餐", "业务费用": "九元"},  # without a name: nobody can ask for it
    "NA": {"账户余额": "三十块"},
}


def reply(*said: str) -> Answer:
    history = tuple(Turn(speaker="user", text=one) for one in said)
    return RuleAgent().answer([Sample(id="a", dialogue_id="a", history=history, knowledge=facts_of(BASE))])[0]


def acts(answer: Answer) -> list[tuple[str, tuple[str, ...]]]:
    assert answer.annotation is not None
    return [(act.name, act.args) for act in answer.annotation.acts]


@pytest.mark.parametrize(
    ("said", "argument", "value"),
    [
        (("那个彩铃多少钱",), "那个彩铃-业务费用", "五元"),
        (("我办了飞享套餐", "有多少流量"), "飞享套餐-流量总量", "一个G"),
        (("查一下话费",), "账户余额", "三十块"),
        (("你们有哪些套餐",), "套餐", "飞享套餐"),
    ],
)
def test_what_is_asked_for_is_recited(said: tuple[str, ...], argument: str, value: str) -> None:
    answer = reply(*said)
    assert answer.text == f"您好，{value}"
    assert acts(answer) == [("询问", (argument,)), ("通知", ())]


@pytest.mark.parametrize(
    ("said", "user", "staff"),
    [
        ("好谢谢", "客套", "客套"),
        ("喂你好", "问候", "问候"),
        ("行再见", "再见", "再见"),
        ("彩铃几号扣费", "提供信息", "引导"),  # the base has nothing of it
        ("我就是问问", "提供信息", "引导"),
    ],
)
def test_anything_else_is_answered_politely(said: str, user: str, staff: str) -> None:
    assert [name for name, _ in acts(reply(said))] == [user, staff]
