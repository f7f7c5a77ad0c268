from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.spoken.systems.template_nlg.surface_forms import (
    WHOLE,
    fact_text,
    fragments_of,
    items_of,
    surface_forms_of,
)
from duologue.core.records import Fact


@pytest.mark.parametrize(
    ("value", "form", "said"),
    [
        ("1946年01月05日", "date", "1946年1月5日"),
        ("1946年01月05日", "short year", "46年"),
        ("2018-09-01", "month", "2018年9月"),
        ("2018-09-01", "day", "9月1日"),
        ("171cm", "metres", "1米71"),
        ("1.71米", "centimetres in words", "171厘米"),
        ("70kg", "kilograms in words", "70公斤"),
        ("4：15", "minutes", "4分15秒"),
        ("岛国（1985年迁入）", "unbracketed", "岛国"),
        ("灯塔记", "titled", "《灯塔记》"),
        ("《灯塔记》", "untitled", "灯塔记"),
        ("《甲》，《乙》等", "1 item", "《甲》"),
        ("《甲》，《乙》，《丙》等", "2 items", "《甲》、《乙》"),
        ("30元。", WHOLE, "30元"),
    ],
)
def test_a_value_is_said_as_people_say_it(value: str, form: str, said: str) -> None:
    assert surface_forms_of(value)[form] == said


def test_no_two_forms_say_the_same() -> None:
    forms = surface_forms_of("1946年1月5日")
    assert len(set(forms.values())) == len(forms)
    assert "date" not in forms


@settings(max_examples=50)
@given(st.text(max_size=60))
def test_every_value_can_be_said_as_it_stands(value: str) -> None:
    whole = surface_forms_of(value)[WHOLE]
    assert next(iter(surface_forms_of(value))) == WHOLE
    assert whole in value


@pytest.mark.parametrize("value", ["一个人", "8:00-17:30，周一休息", "他来了。她走了，", "剧" * 30 + "，" + "情" * 30])
def test_sentences_times_and_texts_are_no_lists(value: str) -> None:
    assert items_of(value) == []


def test_a_list_is_parted_by_its_separators() -> None:
    assert items_of("青石、白沙，盐田等") == ["青石", "白沙", "盐田"]


def test_a_text_is_cut_into_runs_of_clauses() -> None:
    text = "青石岛在云间城外，岛上有灯塔。灯塔很高！"
    found = fragments_of(text)
    assert [part.text for part in found] == [
        "青石岛在云间城外",
        "青石岛在云间城外，岛上有灯塔",
        "青石岛在云间城外，岛上有灯塔。灯塔很高！",
        "岛上有灯塔",
        "岛上有灯塔。灯塔很高！",
        "灯塔很高！",
    ]
    assert [(part.first, part.clauses, part.opens, part.closes, part.start) for part in found[3:5]] == [
        (1, 1, False, True, 9),
        (1, 2, False, True, 9),
    ]


@settings(max_examples=50)
@given(st.text(alphabet="青石岛，。！ab1\n", max_size=200))
def test_parts_stand_in_their_text(text: str) -> None:
    for part in fragments_of(text):
        assert part.text in text
        assert text[part.start :].lstrip("# \n").startswith(part.text[:4])


def test_a_fact_of_several_values_is_said_as_a_list() -> None:
    assert fact_text(Fact(subject="甲", relation="乙", object=("丙", "丁"))) == "丙、丁"
    assert fact_text(Fact(subject="甲", relation="乙", object=70)) == "70"
