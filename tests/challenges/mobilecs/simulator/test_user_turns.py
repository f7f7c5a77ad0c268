from __future__ import annotations

from duologue.challenges.mobilecs.simulator.user_turns import TurnKey, slot_key, turns_of_rows

ROW = {
    "KB": {
        "ent-1": {"name": "彩铃,炫铃", "type": "业务", "业务费用": "五元", "流量总量": "一个G"},
        "ent-2": {"name": "飞享", "type": "主套餐"},
        "NA": {"账户余额": "三十块"},
    },
    "content": [
        {"用户": "你好，彩铃多少钱", "用户意图": "问候,询问(ent-1-业务费用)", "客服": "五元", "客服意图": "通知"},
        {"用户": "我有三十块，彩铃一个g的", "用户意图": "提供信息", "客服": "嗯", "客服意图": "通知,询问"},
        {"用户": "彩铃和飞享", "用户意图": "提供信息", "客服": "嗯", "客服意图": "通知"},
        {"用户": "有什么套餐", "用户意图": "求助-查询(套餐)(账户余额)", "客服": "好", "客服意图": "通知"},
        {"用户": "", "用户意图": "其他", "客服": "再见", "客服意图": "再见"},
    ],
}


def test_turns_have_places_in_the_stead_of_names_and_values() -> None:
    first, second, third = turns_of_rows([ROW])[0]
    assert first.key == TurnKey(("entity:业务费用",), (), is_named=True)
    assert (first.labels, first.staff, first.is_first, first.parts) == (
        *(("问候", "询问"), (), True),
        ("你好，", "name", "多少钱"),
    )
    assert second.key == TurnKey((), ("entity:流量总量", "user:账户余额"), is_named=True)
    assert second.parts == ("我有", "user:账户余额", "，", "name", "", "entity:流量总量", "的")
    assert (second.staff, second.is_request, second.is_last) == (("通知",), False, False)
    assert third.key.asked == ("type:套餐", "user:账户余额")


def test_slots_with_the_kind_of_their_owner() -> None:
    assert [slot_key(owner, "x") for owner in ("ent-3", "NA", "咨询")] == ["entity:x", "user:x", "type:x"]
