from __future__ import annotations

from tests.growth import LINEAR, growth

from duologue.challenges.mobilecs.formats.knowledge_files import PASSAGE
from duologue.challenges.mobilecs.systems.agent.outside_knowledge import OutsideKnowledge
from duologue.core.records import Fact


def product(subject: str, **slots: str | tuple[str, ...]) -> list[Fact]:
    return [Fact(subject=subject, relation=slot, object=value) for slot, value in slots.items()]


def passage(name: str, text: str) -> Fact:
    return Fact(subject=name, relation=PASSAGE, object=text)


FACTS = [
    *product("1", name=("云帆套餐", "云帆"), type="主套餐", 业务费用="四十七块钱"),
    *product("2", name=("蓝鲸流量包", "流量包"), type="流量包", 流量总量="九百兆"),
    *product("3", name=("彩铃", "彩铃"), 业务费用="五元"),
    passage("云帆套餐", "每月50元，含7个G流量"),
    passage("全国彩铃", "八元"),
]


def knowledge(*, beside: bool = True, limit: int = 8) -> OutsideKnowledge:
    return OutsideKnowledge(FACTS, limit=limit, beside=beside)


def named(last: str, *said: str) -> list[str]:
    return [slots["name"] for slots in knowledge().base(said, last, {}).values()]


def test_what_files_say_of_one_product_stands_together_the_catalogue_first() -> None:
    assert knowledge().base([], "云帆套餐多少钱", {}) == {
        "ent-1": {"name": "云帆套餐,云帆", "type": "主套餐", "业务费用": "四十七块钱,每月50元", "流量总量": "7个G"}
    }


def test_a_product_counts_where_it_is_named_and_no_other_is_taken_for_it() -> None:
    assert named("云帆那个多少钱") == named("云_帆 套餐呢") == ["云帆套餐,云帆"]
    assert named("蓝鲸业务") == ["蓝鲸流量包"]
    assert named("全国彩铃") == ["全国彩铃"]
    assert named("彩铃和全国彩铃") == ["全国彩铃", "彩铃"]
    assert named("谢谢", "彩铃", "云帆") == ["云帆套餐,云帆", "彩铃"]
    for unknown in ("海风套餐多少钱", "云帆流量包多少钱", "有什么流量包", "喂", ""):
        assert named(unknown) == []


def test_beside_the_calls_base_a_product_of_it_gets_what_it_lacks() -> None:
    own = {"ent-7": {"name": "云帆套餐", "业务费用": "三十块"}, "NA": {"账户余额": "三块"}}
    assert knowledge().base(["彩铃"], "云帆套餐", own) == {
        "ent-7": {"name": "云帆套餐", "type": "主套餐", "业务费用": "三十块", "流量总量": "7个G"},
        "ent-1": {"name": "彩铃", "业务费用": "五元"},
        "NA": {"账户余额": "三块"},
    }
    assert knowledge(beside=False, limit=1).base(["彩铃"], "云帆套餐", own).keys() == {"ent-1", "NA"}
    assert knowledge().base([], "喂", {"NA": {"账户余额": "三块"}}) == {"NA": {"账户余额": "三块"}}


def test_the_source_of_a_value_is_its_passage_or_its_entry_and_none_for_the_calls_own() -> None:
    told = [
        Fact(subject="云帆套餐", relation="业务费用", object=("四十七块钱", "每月50元")),
        Fact(subject="云帆套餐", relation="流量总量", object="7个G"),
        Fact(subject="海风套餐", relation="业务费用", object="一元"),
    ]
    assert knowledge().sources(told, {}) == ["1", "每月50元，含7个G流量"]
    own = {"ent-1": {"name": "云帆套餐", "业务费用": "四十七块钱", "流量总量": "7个G"}, "NA": {}}
    assert knowledge().sources(told, own) == ["每月50元，含7个G流量"]
    assert knowledge().sources(told[1:], own) == []


def test_time_grows_as_the_passages_about_one_product() -> None:
    def made(n: int) -> list[Fact]:
        return [passage("云帆套餐", f"每月{number}元") for number in range(n)]

    assert growth(made, lambda facts: OutsideKnowledge(facts, limit=8, beside=True), 1_000) < LINEAR


def test_time_grows_as_what_is_said() -> None:
    known = knowledge()
    assert growth(lambda n: "云帆套餐好" * n, lambda text: known.base([], text, {}), 10_000) < LINEAR
