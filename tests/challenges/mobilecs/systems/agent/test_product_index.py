from __future__ import annotations

from duologue.challenges.mobilecs.systems.agent.product_index import ProductIndex, products_of

BASES = [
    ("a", {"ent-1": {"name": "飞享套餐", "type": "主套餐", "业务费用": "八元"}, "NA": {"账户余额": "三块"}}),
    ("b", {"ent-1": {"name": "飞享套餐", "type": "主套餐", "业务费用": "八元"}, "ent-2": {"name": "彩铃"}}),
    ("b", {"ent-3": {"name": "手机报", "type": "数据业务", "业务费用": "三元"}}),
]


def test_products_with_something_to_tell_are_kept_once() -> None:
    assert [(one.source, one.slots["name"]) for one in products_of(BASES)] == [("a", "飞享套餐"), ("b", "手机报")]


def test_a_base_has_what_is_spoken_of_and_the_users_own_entry() -> None:
    index = ProductIndex(products_of(BASES), limit=1)
    own = {"ent-9": {"name": "宽带"}, "NA": {"账户余额": "九块"}}
    found = index.base(["手机报"], "飞享套餐多少钱", own)
    assert found == {"ent-1": BASES[0][1]["ent-1"], "NA": {"账户余额": "九块"}}
    assert index.base(["手机报"], "多少钱", {})["ent-1"]["name"] == "手机报"
    assert index.base([], "飞享套餐多少钱", {}, apart="a") == {}
    assert ProductIndex([], limit=3).base([], "喂", {}) == {}


def test_beside_the_calls_own_base_stands_what_it_lacks() -> None:
    index = ProductIndex(products_of(BASES), limit=2, beside=True)
    own = {"ent-1": {"name": "宽带,手机报", "type": "业务"}, "NA": {"账户余额": "九块"}}
    assert index.base(["手机报"], "飞享套餐多少钱", own) == {
        "ent-1": own["ent-1"],
        "ent-2": BASES[0][1]["ent-1"],
        "NA": {"账户余额": "九块"},
    }
    assert index.base([], "喂", own) == own
