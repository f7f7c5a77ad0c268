from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.systems.planner.slots import (
    Filler,
    Slotter,
    SlotValue,
    base_slot,
    is_slot,
    values_of,
)
from duologue.core.records import Fact, Goal, Sample


def sample(*facts: tuple[str, str, str]) -> Sample:
    goal = Goal(topics=("红 海", "林 小"), relations=(Fact(subject="红 海", relation="主演", object="林 小"),))
    knowledge = tuple(Fact(subject=s, relation=r, object=o) for s, r, o in facts)
    return Sample(id="s#00", dialogue_id="s", goal=goal, knowledge=knowledge)


def test_topics_facts_clauses_and_years_are_values() -> None:
    found = values_of(
        sample(
            ("红 海", "领域", "电影"),
            ("红 海", "上映 时间", "2018年 2月16日"),
            ("林 小", "评论", "戏 很 好 ， 人 也 真 好 ！"),
            ("别人", "身高", "1"),
        )
    )
    assert found == (
        SlotValue("{A}", ("红", "海")),
        SlotValue("{B}", ("林", "小")),
        SlotValue("{a.上映时间}", ("2018年", "2月16日")),
        SlotValue("{a.上映时间@y}", ("2018年",)),
        SlotValue("{b.评论}", ("戏", "很", "好", "，", "人", "也", "真", "好", "！")),
        SlotValue("{b.评论#0}", ("戏", "很", "好")),
        SlotValue("{b.评论#1}", ("人", "也", "真", "好")),
    )


def test_a_relation_of_the_goal_is_a_fact_unless_its_object_is_the_other_topic() -> None:
    goal = Goal(topics=("红 海", "林 小"), relations=(Fact(subject="林 小", relation="代表作", object="蓝 天"),))
    found = values_of(Sample(id="s#00", dialogue_id="s", goal=goal))
    assert found[2:] == (SlotValue("{b.代表作}", ("蓝", "天")),)


def test_a_sample_without_two_topics_has_no_values() -> None:
    assert values_of(Sample(id="s#00", dialogue_id="s")) == ()


def test_the_longest_value_is_taken_at_each_place() -> None:
    slotter = Slotter([SlotValue("{a.x}", ("人",)), SlotValue("{a.y}", ("人", "好"))])
    assert slotter(["人", "好", "人", "。"]) == ("{a.y}", "{a.x}", "。")


def test_what_was_not_said_yet_is_filled_in_first_and_a_second_slot_takes_the_next() -> None:
    filler = Filler([SlotValue("{a.x}", ("旧",)), SlotValue("{a.x}", ("新",))], said="说过旧")
    first, second = filler(("{a.x}", "和", "{a.x}"))
    assert first.words == ("新", "和", "旧")
    assert second.words == ("旧", "和", "新")
    assert [value.words for value in first.used] == [("新",), ("旧",)]


def test_a_template_without_choice_is_filled_in_one_way() -> None:
    filler = Filler([SlotValue("{A}", ("红", "海"))], said="")
    assert [one.words for one in filler(("看", "{A}"))] == [("看", "红", "海")]


def test_parts_of_a_slot_have_its_plain_name() -> None:
    assert [base_slot(slot) for slot in ("{b.评论#1}", "{a.上映时间@y}", "{A}")] == ["{b.评论}", "{a.上映时间}", "{A}"]
    assert not is_slot("{}")


words = st.lists(st.sampled_from(["红", "海", "好", "人", "，", "电影"]), max_size=12)


@given(words, words.filter(bool), words.filter(bool))
def test_a_template_filled_with_its_own_values_is_the_text(text: list[str], one: list[str], other: list[str]) -> None:
    values = [SlotValue("{a.x}", tuple(one)), SlotValue("{b.y}", tuple(other))]
    template = Slotter(values)(text)
    assert " ".join(Filler(values, said="")(template)[0].words) == " ".join(text)
