from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.spoken.systems.grounded.dialogue_state import tracker_of
from duologue.core.records import Fact
from duologue.knowledge.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.challenges.spoken.systems.grounded.dialogue_state import DialogueState, StateTracker


def test_the_latest_name_comes_first(phonetic: Callable[..., DialogueState]) -> None:
    state = phonetic("你知道青石岛吗？", "知道，它旁边是白沙湾。", "白沙湾的门票呢？")
    assert [one.name for one in state.candidates][:2] == ["白沙湾", "青石岛"]
    assert [said.age for said in state.candidates[0].said] == [0, 1]
    assert [said.age for said in state.candidates[1].said] == [2]


def test_namesakes_are_candidates_together(phonetic: Callable[..., DialogueState]) -> None:
    state = phonetic("你看过雾港吗？")
    assert {one.name: one.namesakes for one in state.candidates} == {"雾港（2011年小说）": 2, "雾港（2015年电影）": 2}


def test_what_a_reply_says_is_known_as_told(tracker: StateTracker) -> None:
    profile = tracker.profile("雾港（2015年电影）")
    overlaps = tracker.overlaps("雾港（2015年电影）", "2015年8月20日上映，主演是苏雁。")
    said = {profile.values[at].fact.object for at, strength in enumerate(overlaps) if strength == 1}
    assert said == {"2015年8月20日", "苏雁"}


def test_a_part_of_a_long_text_is_told_in_part(tracker: StateTracker) -> None:
    profile = tracker.profile("青石岛")
    (place,) = profile.relations["Information"]
    strength = tracker.overlaps("青石岛", "岛上有一座老灯塔")[place]
    assert 0.5 < strength <= 1
    assert tracker.overlaps("青石岛", "我没有去过呢")[place] == 0


def test_a_number_is_not_told_by_a_longer_one() -> None:
    tracker = tracker_of(Graph("kg", [Fact(subject="某专辑", relation="曲目数量", object="11")]), fuzzy=True)
    assert tracker.overlaps("某专辑", "有11首歌。") == (1.0,)
    assert tracker.overlaps("某专辑", "2011年发行的。") == (0.0,)


def test_an_entity_that_is_not_named_is_recalled_by_its_values(phonetic: Callable[..., DialogueState]) -> None:
    state = phonetic("有没有写一个守灯人在云间城等一封信的故事？")
    retrieved = [one for one in state.candidates if one.retrieved]
    assert [one.name for one in retrieved] == ["雾港（2011年小说）"]
    assert not retrieved[0].said


def test_nothing_said_is_about_nothing(phonetic: Callable[..., DialogueState]) -> None:
    state = phonetic()
    assert state.turns == ()
    assert state.candidates == []
