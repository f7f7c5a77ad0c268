from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.missing_account import is_missing
from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffAction

PLAN = {"name": "青松套餐", "type": "套餐", "流量总量": "七个g"}
BASE = {"ent-1": PLAN, "NA": {"账户余额": "五十二块", "用户需求": "查话费"}}
NAME, VOLUME, BALANCE, NEED = range(4)


def missing(asked: str, told: int, base: dict[str, dict[str, str]]) -> bool:
    return is_missing(CallView([], asked, base), StaffAction(("通知",), (told,)))


@pytest.mark.parametrize("asked", ["我还剩多少流量", "这个月流量还剩多少啊", "我流量_还剩几个G"])
def test_no_value_of_a_product_or_other_account_answers_for_the_data_left(asked: str) -> None:
    assert missing(asked, VOLUME, BASE)
    assert missing(asked, BALANCE, BASE)
    assert not missing(asked, NEED, BASE)
    assert not missing(asked, NAME, BASE)
    assert not missing(asked, VOLUME, {"ent-1": PLAN, "NA": {"流量余额": "还有一个g"}})


@pytest.mark.parametrize("asked", ["我话费还有多少", "帮我查一下余额", "我欠多少钱", "看看我卡里还有多少钱"])
def test_nor_for_the_balance(asked: str) -> None:
    assert missing(asked, VOLUME, {"ent-1": PLAN})
    assert not missing(asked, VOLUME, BASE)


@pytest.mark.parametrize("asked", ["青松套餐还剩多少流量", "有多少流量", "把多扣的话费退给我", "这个套餐多少流量"])
def test_what_is_no_question_about_the_account_is_answered(asked: str) -> None:
    assert not missing(asked, VOLUME, {"ent-1": PLAN})
