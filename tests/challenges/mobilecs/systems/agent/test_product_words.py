from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.systems.agent.product_words import KIND, amount_before, is_name, plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("38元的畅畅享_套 餐", "三十八元的畅享套餐"),
        ("两个G，十号", "二个g，十号"),
        ("号码13900001111业务", "号码，业务"),
    ],
)
def test_a_plain_text_has_no_breaks_stammers_or_digits(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("办三十八的", "三十八"),
        ("八块钱", "八"),
        ("一百兆", "一百"),
        ("三八", "三八"),
        ("一个", None),
        ("四g", None),
        ("一三六八三七七", None),
        ("青竹", None),
    ],
)
def test_an_amount_may_be_a_name_unless_it_counts_or_dials(text: str, number: str | None) -> None:
    found = amount_before(text, len(text))
    assert (found["number"] if found else None) == number


def test_a_name_has_a_part_of_its_own() -> None:
    names = ["青松套餐", "彩铃", "家庭加油包", "套餐", "这个套餐", "那个", "基本套餐", "流量包", "卡"]
    assert [one for one in names if is_name(one)] == ["青松套餐", "彩铃", "家庭加油包"]


def test_a_pack_is_told_from_what_holds_something() -> None:
    assert [one[0] for one in KIND.finditer("安心包多少钱")] == ["包"]
    assert [one[0] for one in KIND.finditer("里面包含一百兆")] == []
    assert [one[0] for one in KIND.finditer("昨天那个包多少流量")] == []
