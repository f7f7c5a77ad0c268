from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.spoken.systems.grounded.normalization import (
    fold,
    fold_name,
    grams_in,
    list_items,
    phonetic_key,
)


def test_stops_and_marks_inside_a_word_are_dropped() -> None:
    assert fold("卡。尔·莫林") == fold("《卡尔莫林》")


def test_formal_numerals_are_digits() -> None:
    assert fold("弍零壹捌") == "2018"


def test_characters_of_one_sound_are_the_same_heard() -> None:
    assert phonetic_key("景点") == phonetic_key("竟颠")
    assert phonetic_key("二") == phonetic_key("2")
    assert phonetic_key("景点") != phonetic_key("景区")


def test_a_name_loses_its_suffix_alone() -> None:
    assert fold_name("雾港（2015年电影）") == "雾港"
    assert fold_name("（无题）") == "无题"


def test_a_list_in_one_value_is_taken_apart() -> None:
    assert list_items("演员、导演，歌手") == ("演员", "导演", "歌手")


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(alphabet="点景竟颠abc2"))
def test_what_is_heard_is_as_long_as_what_is_said(text: str) -> None:
    assert len(phonetic_key(text)) == len(text)
    assert len(grams_in(text)) <= max(0, len(text) - 2)
