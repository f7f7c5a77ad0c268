from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.systems.planner.numbered_slots import NumberedSlots
from duologue.challenges.proactive.systems.planner.slots import SlotValue
from duologue.challenges.proactive.systems.planner.state import PlannerState

VALUES = (
    SlotValue("{A}", ("林", "小")),
    SlotValue("{a.代表作}", ("旧", "片")),
    SlotValue("{a.代表作}", ("新", "片")),
    *(SlotValue("{a.职业}", (f"业{number}",)) for number in range(6)),
)


def slots(said: str = "") -> NumberedSlots:
    state = PlannerState(turn=0, domains="SF", relations=(), values=VALUES, history=(), said=said, lines=())
    return NumberedSlots(state)


def test_the_first_value_that_nobody_mentioned_has_the_plain_slot() -> None:
    assert [slots().name(value) for value in VALUES[:3]] == ["{A}", "{a.代表作}", "{a.代表作}~1"]
    assert [slots("说过旧片").name(value) for value in VALUES[:3]] == ["{A}", "{a.代表作}~1", "{a.代表作}"]


def test_values_beyond_those_told_apart_have_no_name_and_the_plain_slot_in_templates() -> None:
    assert [slots().name(value) for value in VALUES[3:]] == [
        "{a.职业}",
        "{a.职业}~1",
        "{a.职业}~2",
        "{a.职业}~3",
        None,
        None,
    ]
    assert slots().template(["是", "业3", "业5", "。"]) == ["是", "{a.职业}~3", "{a.职业}", "。"]


def test_a_template_is_filled_by_number_and_keeps_none() -> None:
    made = slots().filled(["{A}", "拍", "了", "{a.代表作}~1", "。"])
    assert made is not None
    assert made.template == ("{A}", "拍", "了", "{a.代表作}", "。")
    assert made.filling.words == ("林", "小", "拍", "了", "新", "片", "。")
    assert made.filling.used == (VALUES[0], VALUES[2])


@pytest.mark.parametrize("said", [["{B}"], ["{a.代表作}~2"], ["{b.导演}", "好"], []])
def test_what_no_value_fills_is_nothing(said: list[str]) -> None:
    assert slots().filled(said) is None


def test_without_facts_topics_alone_are_filled() -> None:
    assert slots().filled(["{A}", "好"], facts=False) is not None
    assert slots().filled(["{A}", "{a.职业}"], facts=False) is None


def test_words_that_look_like_slots_are_said_as_they_are() -> None:
    for word in ("{", "{~1", "{}~", "{a.职业}~x", "a~1"):
        made = slots().filled([word])
        assert made is not None
        assert made.filling == ((word,), ())


@given(st.lists(st.sampled_from([*"林小旧新片好。", "业0", "业3"]), min_size=1, max_size=12))
def test_words_come_back(words: list[str]) -> None:
    made = slots().filled(slots().template(words))
    assert made is not None
    assert list(made.filling.words) == words
