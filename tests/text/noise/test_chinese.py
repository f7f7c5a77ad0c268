from __future__ import annotations

import re

import pytest

from duologue.text.noise.chinese import SpokenChinese
from duologue.text.noise.speech_channel import KINDS, SpeechChannel
from duologue.text.pronunciation import reading

POINTS = [at / 20 for at in range(20)]


def test_words_are_those_of_the_segmenter_or_between_spaces() -> None:
    text = "你好，我要办套餐。"
    assert "".join(text[start:end] for start, end in SpokenChinese().words(text)) == "你好我要办套餐"
    spaced = "云 海 之 旅 ， 好"
    assert [spaced[start:end] for start, end in SpokenChinese(spaced=True).words(spaced)] == list("云海之旅好")


def test_near_words_have_the_same_syllables() -> None:
    for point in POINTS:
        other = SpokenChinese().near("流量", point)
        assert other is not None
        assert other != "流量"
        assert [reading(sign) for sign in other] == ["liu", "liang"]
    assert SpokenChinese().near("abc，", 0.5) is None


def test_accents_confuse_initials_and_finals() -> None:
    chinese = SpokenChinese()
    heard = {accent: chinese.accented("是", accent, 0.5) for accent in chinese.accents}
    assert reading(str(heard["southwest"])) == reading(str(heard["cantonese"])) == "si"
    assert heard["northeast"] is None
    assert reading(str(chinese.accented("三", "northeast", 0.1))) == "shan"
    assert reading(str(chinese.accented("湖", "hunan", 0.1))) == "fu"
    assert chinese.accented("ok，", "min", 0.1) is None


def test_numbers_have_others() -> None:
    for point in POINTS:
        other = SpokenChinese().other_number("三十", point)
        assert other is not None
        assert other != "三十"
        assert other[1] == "十"
    assert SpokenChinese().other_number("5G", 0.0) == "1G"
    assert SpokenChinese().other_number("流量", 0.0) is None


def test_the_longest_colloquial_word_is_taken() -> None:
    ((place, forms),) = SpokenChinese().colloquial("你觉得怎么样")
    assert (place, list(forms)) == ((3, 6), ["咋样"])


@pytest.mark.parametrize("gap", ["", " "])
def test_placeholders_are_said_whole(gap: str) -> None:
    """They were begun twice, taken for other numbers and broken up by fillers."""
    text = gap.join(["电话", "是", "<PHONE_1>", "，", "我", "叫", "<NAME_12>", "1", "号", "来", "的"])
    channel = SpeechChannel(SpokenChinese(spaced=bool(gap)), 1, dict.fromkeys(KINDS, 5.0))
    kept = 0
    for at in range(200):
        said = channel.say(text, dialogue="x", at=at).text
        assert not set(re.sub(r"<PHONE_1>|<NAME_12>", "", said)) & set("<>_PN")
        kept += "<PHONE_1>" in said and "<NAME_12>" in said
    assert kept > 100
