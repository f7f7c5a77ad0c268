from __future__ import annotations

from duologue.challenges.mobilecs.systems.extractor.renamed_call import SignExchange
from duologue.core.rng import Rng

NAMES = [*(f"{sign}{other}套餐" for sign in "甲乙丙丁戊" for other in "子丑寅卯辰"), "十元的套餐", "九元的套餐"]


def test_rare_signs_of_names_are_exchanged_wherever_the_name_stands() -> None:
    text = "我要甲子套餐_甲子好不好"
    other = SignExchange([*NAMES, *["虎豹套餐", "龙蛇套餐"] * 3]).exchanged(text, ["虎豹套餐"], Rng(1))
    assert other == text  # the name does not stand there
    text = "我要虎豹套餐_虎豹好不好"
    other = SignExchange([*NAMES, "虎豹套餐", "龙蛇套餐"]).exchanged(text, ["虎豹套餐"], Rng(1))
    assert len(other) == len(text)
    assert (other[:2], other[4:7], other[9:]) == ("我要", "套餐_", "好不好")
    assert other[2:4] == other[7:9]
    assert set(other[2:4]) <= set("虎豹龙蛇")


def test_names_of_shared_signs_stay() -> None:
    assert SignExchange(NAMES).exchanged("十元的套餐", ["十元的套餐"], Rng(1)) == "十元的套餐"
    assert SignExchange([]).exchanged("甲子", ["甲子"], Rng(1)) == "甲子"
