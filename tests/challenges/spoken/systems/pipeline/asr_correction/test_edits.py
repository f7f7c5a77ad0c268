from __future__ import annotations

from duologue.challenges.spoken.systems.pipeline.asr_correction import edits
from duologue.challenges.spoken.systems.pipeline.asr_correction.edits import Edit

EVERYWHERE = [True] * 20


def results(text: str, edits: object) -> list[str]:
    assert hasattr(edits, "__iter__")
    return [one.apply(text) for one in edits]


def test_a_character_said_twice_is_said_once() -> None:
    assert results("你看过过雨夜花？？", edits.repeats("你看过过雨夜花？？")) == ["你看过雨夜花？？"]


def test_particles_go_at_the_end_and_inside() -> None:
    text = "知道他嗯在哪吗呀？"
    assert list(edits.particles(text)) == [Edit("filler", 3, 4, ""), Edit("filler", 6, 7, ""), Edit("tail", 7, 8, "")]


def test_stops_go_inside_and_before_a_mark_and_when_doubled() -> None:
    assert results("票房。怎么样。", edits.stops("票房。怎么样。")) == ["票房怎么样。"]
    assert results("好。？", edits.stops("好。？")) == ["好？"]
    assert results("好。。", edits.stops("好。。")) == ["好。", "好。"]


def test_marks_go_back_to_the_end_with_or_without_a_particle() -> None:
    assert results("电话？呀吗", edits.marks("电话？呀吗")) == ["电话呀吗？", "电话吗？"]
    assert "好的，再见。" in results("，好的再见。", edits.marks("，好的再见。"))


def test_words_are_swapped_where_two_of_three_borders_read_oddly() -> None:
    text = "是导演谁呢？"
    assert "导演是谁呢？" in results(text, edits.swaps(text, EVERYWHERE))
    assert list(edits.swaps(text, [False] * 8)) == []


def test_swaps_leave_marks_and_letters_alone() -> None:
    text = "好，a的"
    assert list(edits.swaps(text, EVERYWHERE)) == []


def test_sounds_take_usual_characters_and_pairs() -> None:
    alone, pairs = {"de": "的得"}, {"jing dian": ["景点", "经典"]}
    found = results("竟颠德", edits.sounds("竟颠德", EVERYWHERE, alone, pairs))
    assert {"景点德", "经典德", "竟颠的", "竟颠得", "景颠德", "竟点德"} == set(found)
    assert list(edits.sounds("竟颠德", [False] * 4, alone, pairs)) == []


def test_numerals_are_written_as_usual() -> None:
    assert results("弍零岁", edits.numerals("弍零岁")) == ["二零岁", "20岁"]
    assert results("第壹部", edits.numerals("第壹部")) == ["第一部", "第1部"]
    assert results("肆拾了", edits.numerals("肆拾了")) == ["四十了"]


def test_a_lost_character_comes_from_what_usually_follows() -> None:
    unlikely = [False, True, False]
    assert results("导是", edits.losses("导是", unlikely, {"导": "演师", "\x02导": "演"})) == ["导演是", "导师是"]


def test_an_utterance_without_a_last_mark_gets_one() -> None:
    assert results("导演是谁", edits.ends("导演是谁")) == ["导演是谁？"]
    assert results("谢谢你", edits.ends("谢谢你")) == ["谢谢你。"]
    assert list(edits.ends("谢谢你。")) == []
    assert list(edits.ends("")) == []
