from __future__ import annotations

import sys

import pytest

from duologue.challenges.spoken.noise import pronunciation as sounds
from duologue.core.errors import MissingExtraError


def test_words_joined_are_the_text() -> None:
    text = "你知道 the Beatles 的《黄色潜水艇》吗？"
    assert "".join(sounds.words(text)) == text
    assert sounds.words("这个景点的地址在哪？") == ["这个", "景点", "的", "地址", "在", "哪", "？"]


def test_readings_have_no_tones_and_the_usual_one_comes_first() -> None:
    assert sounds.readings_of("行")[:2] == ("xing", "hang")
    assert sounds.readings()["行"] == sounds.readings_of("行")
    assert sounds.reading("绿") == "lv"
    assert (sounds.reading("A"), sounds.reading("？")) == ("a", "？")


def test_characters_sound_alike_when_they_share_a_reading() -> None:
    assert sounds.alike("景", "竟")
    assert sounds.alike("行", "航")
    assert not sounds.alike("里", "你")
    assert not sounds.alike("？", "？")


def test_sound_alikes_are_the_characters_of_gb_2312_frequent_ones_first() -> None:
    common, rare = sounds.sound_alikes()["hao"]
    assert "好" in common
    assert "昊" in rare
    assert sum(len(one) + len(other) for one, other in sounds.sound_alikes().values()) == 6763


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", None)
    with pytest.raises(MissingExtraError, match=r"duologue\[zh\]"):
        sounds.words("好")
