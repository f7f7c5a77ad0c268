from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.missing_account import (
    is_groundless,
    without_account,
    without_account_reply,
)
from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffAction

PLAN = {"name": "青松套餐", "type": "套餐", "流量总量": "七个g"}
BASE = {"ent-1": PLAN, "NA": {"账户余额": "五十二块", "用户需求": "查话费"}}
NAME, VOLUME, BALANCE, NEED = range(4)


def groundless(asked: str, told: int, base: dict[str, dict[str, str]]) -> bool:
    return is_groundless(CallView([], asked, base), StaffAction(("通知",), (told,)))


@pytest.mark.parametrize("asked", ["我还剩多少流量", "这个月流量还剩多少啊", "我流量_还剩几个G"])
def test_no_value_of_a_product_or_other_account_answers_for_the_data_left(asked: str) -> None:
    assert groundless(asked, VOLUME, BASE)
    assert groundless(asked, BALANCE, BASE)
    assert not groundless(asked, NEED, BASE)
    assert not groundless(asked, NAME, BASE)
    assert not groundless(asked, VOLUME, {"ent-1": PLAN, "NA": {"流量余额": "还有一个g"}})


@pytest.mark.parametrize("asked", ["我话费还有多少", "帮我查一下余额", "我欠多少钱", "看看我卡里还有多少钱"])
def test_nor_for_the_balance(asked: str) -> None:
    assert groundless(asked, VOLUME, {"ent-1": PLAN})
    assert not groundless(asked, VOLUME, BASE)


@pytest.mark.parametrize("asked", ["青松套餐还剩多少流量", "有多少流量", "把多扣的话费退给我", "这个套餐多少流量"])
def test_what_is_no_question_about_the_account_is_answered(asked: str) -> None:
    assert not groundless(asked, VOLUME, {"ent-1": PLAN})


def test_that_it_is_not_seen_is_said_in_other_words_the_second_time() -> None:
    assert without_account().tells == ()
    first = without_account_reply(CallView([], "我还剩多少流量", BASE))
    assert without_account_reply(CallView([("我还剩多少流量", first)], "我还剩多少流量", BASE)) not in {"", first}
