from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.staff_templates import AnsweredTurn
from duologue.challenges.mobilecs.systems.agent.turn_encoder import TurnTruth
from duologue.challenges.mobilecs.systems.agent.unknown_products import ProductNames, names_of

BASE = {
    "ent-1": {"name": "青松套餐", "type": "套餐", "业务费用": "三十八块钱", "流量总量": "七个g"},
    "ent-2": {"name": "八十八元畅享套餐", "type": "套餐", "业务费用": "八十八元"},
    "NA": {"账户余额": "五十二块"},
}
WORDING = ["么套餐", "什么套餐", "上次", "次说", "说的", "话费", "一下", "多少"]
NAMES = ProductNames(WORDING, ["彩铃"])


def view(*said: str, base: dict[str, dict[str, str]] = BASE, staff: str = "稍等") -> CallView:
    *earlier, last = said
    return CallView([(one, staff) for one in earlier], last, base)


@pytest.mark.parametrize(
    "asked",
    [
        "青竹套餐多少钱",
        "你好，我想问一下青竹_套餐一个月要多少钱",
        "银河流量包有多少流量",
        "亲子套餐可以打多少分钟",
        "一百二十八的套餐怎么收费",
        "58元套餐多少钱",
        "四十八元畅享套餐有几个g",
        "彩铃怎么收费",
        "手机报要多少钱",
        "那青竹套餐呢",
    ],
)
def test_a_product_that_the_base_does_not_have_is_asked_for(asked: str) -> None:
    found = NAMES.unknown(view(asked))
    assert found is not None
    assert found.is_asked
    assert found.others == {"ent-1", "ent-2"}
    after_known = NAMES.unknown(view("青松套餐多少钱", asked))
    assert after_known is not None
    assert after_known.others == {"ent-1", "ent-2"}


@pytest.mark.parametrize(
    "asked",
    [
        "青松套餐多少钱",
        "青松多少钱",
        "畅享套餐有多少流量",
        "88元的畅享套餐多少钱",
        "三十八的套餐有多少流量",
        "这个套餐多少钱",
        "我办的套餐多少钱",
        "你们有什么套餐",
        "那个呢",
        "多少钱",
        "话费还有多少",
        "里面包含多少流量",
        "四g套餐是多少钱",
        "号码13900001111业务是什么时候开的",
        "合约期里能取消吗，多少钱",
        "补卡要多少钱",
        "青松可以打多少分钟电话",
        "它可以打多少分钟电话",
        "我手机网太卡是怎么回事",
        "四十八块_青松套餐多少钱",
    ],
)
def test_what_is_known_or_only_pointed_at_is_no_unknown_product(asked: str) -> None:
    assert NAMES.unknown(view(asked)) is None
    assert NAMES.unknown(view("青松套餐多少钱", asked)) is None


def test_an_unknown_product_is_meant_until_a_known_one_is_spoken_of() -> None:
    follow = NAMES.unknown(view("青竹套餐多少钱", "那它有多少流量"))
    assert follow is not None
    assert not follow.is_named
    assert follow.others == {"ent-1", "ent-2"}
    assert NAMES.unknown(view("青竹套餐多少钱", "青松套餐呢", "有多少流量")) is None
    assert NAMES.unknown(view("青竹套餐多少钱", "有多少流量", staff="您手机上是青松套餐")) is None
    assert NAMES.unknown(view("青竹套餐多少钱", "三十八块钱的那个有多少流量")) is None
    assert NAMES.unknown(view("青竹套餐多少钱", "嗯", "好的", "谢谢", "有多少流量")) is None


def test_what_is_named_beside_an_unknown_product_may_be_told() -> None:
    found = NAMES.unknown(view("青松套餐和青竹套餐哪个便宜"))
    assert found is not None
    assert found.others == {"ent-2"}
    assert found.known == {"ent-1"}


def test_an_entity_without_a_name_of_its_own_may_be_the_one() -> None:
    nameless = {"ent-3": {"name": "这个套餐,套餐", "type": "套餐", "业务费用": "五元"}}
    found = NAMES.unknown(view("青竹套餐多少钱", base={**BASE, **nameless}))
    assert found is not None
    assert "ent-3" not in found.others


def test_characters_that_no_training_call_has_may_be_a_name() -> None:
    found = NAMES.unknown(view("咪咕阅读多少钱"))
    assert found is not None
    assert not found.is_named
    assert not found.is_asked
    assert found.others == {"ent-1", "ent-2"}
    assert ProductNames([*WORDING, "咪咕", "咕阅", "阅读"]).unknown(view("咪咕阅读多少钱")) is None


def test_words_before_a_name_that_is_a_kind_are_no_part_of_it() -> None:
    base = {"ent-1": {"name": "青松短信包,短信包", "业务费用": "五元"}}
    assert ProductNames(["无线"]).unknown(view("家里无线短信包多少钱", base=base)) is None
    assert ProductNames(["无线"]).unknown(view("青竹短信包多少钱", base=base)) is not None


def test_names_that_training_calls_use_as_names_are_remembered() -> None:
    def turn(dialogue: str, last: str, *names: str) -> AnsweredTurn:
        base = {f"ent-{number}": {"name": name} for number, name in enumerate(names, 1)}
        nothing = TurnTruth(frozenset(), frozenset(), frozenset(), ("通知",), frozenset())
        return AnsweredTurn(dialogue, CallView([], last, base), nothing, "好的")

    turns = [
        turn("a", "彩_铃多少钱", "彩铃", "活动", "这个"),
        turn("b", "关掉彩铃", "彩铃业务,彩铃", "活动", "这个"),
        turn("c", "有什么活动", "短号"),
        turn("d", "活动呢"),
        turn("e", "网线活动"),
    ]
    assert names_of(turns) == ["彩铃"]
