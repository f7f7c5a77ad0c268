from __future__ import annotations

import pytest
from tests.growth import LINEAR, growth

from duologue.text.personal.dictated import dictated


def pieces(texts: list[str]) -> list[list[str]]:
    return [[text[one.start : one.end] for one in found] for text, found in zip(texts, dictated(texts), strict=True)]


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["我的号码是幺三八", "嗯", "零零一三", "嗯嗯", "八零零零"], [["幺三八"], [], ["零零一三"], [], ["八零零零"]]),
        (["138", "好的", "1234", "5678，对"], [["138"], [], ["1234"], ["5678"]]),
        (["幺三八零", "零一三八零零零您记一下"], [["幺三八零"], ["零一三八零零零"]]),
        (["五幺零_幺零二", "五幺零幺零二", "一九九零"], [["五幺零_幺零二"], ["五幺零幺零二"], ["一九九零"]]),
        (["号是三三", "二二", "一一", "零零，帮我查一下八八"], [["三三"], ["二二"], ["一一"], ["零零"]]),
    ],
)
def test_a_number_in_several_utterances_is_found_in_all_of_them(texts: list[str], found: list[list[str]]) -> None:
    assert pieces(texts) == found


@pytest.mark.parametrize(
    "texts",
    [
        ["十八块的", "十八", "一百二十三块", "好"],
        ["有一百兆", "嗯", "二十块", "三个月", "五个G"],
        ["一", "二", "三"],
        ["幺三八零零一三八零零零"],
        ["幺三八零零一三八零零零", "一般不会"],
        ["每分钟一毛九", "一毛九", "接听免费"],
        ["尾号一二三四", "您要办什么", "五六七八"],
        [],
        [""],
    ],
)
def test_amounts_and_numbers_in_one_utterance_are_none(texts: list[str]) -> None:
    assert pieces(texts) == [[] for _ in texts]


def test_a_long_dictation_takes_no_longer_for_each_utterance() -> None:
    def work(texts: list[str]) -> None:
        assert all(dictated(texts))

    assert growth(lambda size: ["一二三四"] * size, work, 1_000) < LINEAR


def test_very_many_digits_before_a_place_value_are_read_in_one_pass() -> None:
    assert growth(lambda size: ["1" * size + "百"], dictated, 2_000) < LINEAR
