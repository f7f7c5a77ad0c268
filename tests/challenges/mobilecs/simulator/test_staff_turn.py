from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.simulator.staff_turn import StatedAmounts, read_acts, read_text

BASE = {
    "ent-1": {"name": "三十的,飞享", "type": "主套餐", "业务费用": "三十八块 钱", "流量总量": "五百兆"},
    "ent-2": {"name": "彩铃", "type": "业务", "业务费用": "五元"},
    "NA": {"账户余额": "二十三块"},
}


@pytest.mark.parametrize(
    ("reply", "does"),
    [
        ("", ""),
        ("  ", ""),
        ("好的请您稍等一下", "稍等"),
        ("不好意思没听清", "请求重复"),
        ("您是说彩铃是吗", "主动确认"),
        ("请问您现在是在哪里呢", "询问"),
        ("请问还有其他问题吗", "引导"),
        ("感谢您的来电，再见", "再见"),
        ("这边没有查到", "否认"),
        ("一个月是五元", "通知"),
    ],
)
def test_intents_by_the_words(reply: str, does: str) -> None:
    assert read_text(reply).does == {does}


@pytest.mark.parametrize(
    ("intent", "said", "groundless"),
    [
        ("通知(ent-1-流量总量)", "五百兆", 0),
        ("通知(飞享-流量总量)(账户余额)", "五百兆，二十三块", 0),
        ("被动确认,通知(业务)", "彩铃", 0),
        ("通知(ent-2-流量总量)(ent-9-业务费用)(用户积分)", "", 3),
        ("询问(ent-2-业务费用)", "", 0),
        ("", "", 0),
    ],
)
def test_acts_say_the_values_of_their_pieces(intent: str, said: str, groundless: int) -> None:
    heard = read_acts("", intent, BASE)
    assert (heard.text, heard.groundless) == (said, groundless)
    assert read_acts("嗯", intent, BASE).text == ("嗯，" + said if said else "嗯")


@pytest.mark.parametrize(
    ("reply", "asked", "wrong"),
    [
        ("一个月是三十八块", ("ent-1", "业务费用"), 0),
        ("一个月是四十块", ("ent-1", "业务费用"), 1),
        ("是五元", ("ent-1", "业务费用"), 1),  # of another service
        ("三十的三十八块钱，彩铃五元", ("ent-1", "业务费用"), 0),
        ("有五百兆，超了两毛五分钟六个G", ("ent-1", "流量总量"), 3),
        ("是五百兆的", ("ent-1", "业务费用"), 0),
        ("稍等一分钟，一个月以内有短信", ("ent-1", "业务费用"), 0),
        ("您的三十块的套餐", ("ent-2", "业务规则"), 0),  # the numeral of its name
    ],
)
def test_amounts_that_the_base_does_not_bear_out(reply: str, asked: tuple[str, str], wrong: int) -> None:
    assert StatedAmounts(BASE, {}).groundless(reply, [asked]) == wrong


def test_what_the_user_says_is_borne_out() -> None:
    assert StatedAmounts(BASE, {"ent-2": {"业务费用": "六元,?"}}).groundless("不是六元", []) == 0
