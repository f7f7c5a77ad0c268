from __future__ import annotations

import pytest
from tests.growth import LINEAR, growth

from duologue.challenges.mobilecs.systems.agent.passage_values import values_in


@pytest.mark.parametrize(
    ("passage", "found"),
    [
        ("云帆套餐每月四十七块钱", {"业务费用": ["每月四十七块钱"]}),
        (
            "月费：47元\n有效期：30天\n生效：次月一号",
            {"业务费用": ["47元"], "业务时长": ["30天"], "业务规则": ["次月一号"]},
        ),
        ("十八块钱一个月", {"业务费用": ["十八块钱一个月"]}),
        ("十八块五一天，十八块五毛", {"业务费用": ["十八块五一天", "十八块五毛"]}),
        ("含七个G国内流量", {"流量总量": ["七个G"], "流量范围": ["国内"]}),
        ("一百二十分钟全国通话，接听免费", {"通话时长": ["一百二十分钟"], "通话范围": ["全国"], "国内被叫": ["免费"]}),
        ("每分钟1毛9", {"国内主叫": ["每分钟1毛9"]}),
        (
            "套餐外通话每分钟0.19元，超出后2毛9一兆",
            {"套餐外通话计费": ["每分钟0.19元"], "套餐外流量计费": ["2毛9一兆"]},
        ),
        ("流量最多用15GB封顶，每月1号扣费", {"流量封顶": ["15GB"], "扣费日期": ["每月1号"]}),
        ("可以到手机营业厅办理", {"办理渠道": ["手机营业厅"]}),
        ("属于增值业务，与彩铃不能同时办理", {"隶属业务": ["增值业务"], "互斥业务": ["彩铃"]}),
        ("月租免费。18元，19元，18元", {"业务费用": ["免费", "18元", "19元"]}),
        ("流量不能结转，月底清零！十元", {"业务规则": ["流量不能结转，月底清零"], "业务费用": ["十元"]}),
        ("说明如下：", {}),
    ],
)
def test_values_are_told_by_slot_name_or_unit_and_the_rest_is_rules(passage: str, found: dict[str, list[str]]) -> None:
    assert values_in(passage, "云帆套餐") == found


@pytest.mark.parametrize("between", ["", "，"])
def test_time_grows_as_the_passage(between: str) -> None:
    def made(n: int) -> str:
        return between.join(f"每月{number}元" for number in range(n))

    assert growth(made, lambda text: values_in(text, "晴空套餐"), 2_000) < LINEAR
