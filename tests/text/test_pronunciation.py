from __future__ import annotations

from duologue.text import pronunciation as sounds


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
