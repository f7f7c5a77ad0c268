from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.spoken.systems.template_nlg.surface_forms import fragments_of
from duologue.challenges.spoken.systems.template_nlg.templates import (
    BARE,
    ITEM,
    FactGroup,
    TemplateSlot,
    fill,
    group_facts,
    head_of,
    takes_part,
    template_of,
)
from duologue.core.records import Fact

TICKET = FactGroup("青石岛", "门票", ("30元",))
WORKS = FactGroup("林未晞", "代表作品", ("雾港", "灯塔记"))
ABOUT = FactGroup("青石岛", "Information", ("青石岛是云间城外的一个小岛，岛上有一座老灯塔，每天都有船来往。" * 2,))


def shown(pieces: tuple[str | TemplateSlot, ...]) -> str:
    return "".join(
        piece if isinstance(piece, str) else f"{{{piece.what} {piece.form} {piece.count}}}" for piece in pieces
    )


@pytest.mark.parametrize(
    ("reply", "groups", "template"),
    [
        ("青石岛的门票是30元，便宜吧？", [TICKET], "{entity whole 0}的{relation whole 0}是{value whole 0}，便宜吧？"),
        ("130元。", [TICKET], "130元。"),
        ("有《雾港》和《灯塔记》。", [WORKS], "有{value titled 0}。"),
        ("我看过灯塔记。", [WORKS], "我看过{value whole 1}。"),
        ("她46年生的。", [FactGroup("苏雁", "出生日期", ("1946年01月05日",))], "她{value short year 0}生的。"),
        ("有甲乙、丙丁。", [FactGroup("戊", "主演", ("甲乙，丙丁，己庚",))], "有{value item 2}。"),
        ("他是岛国（东）人。", [FactGroup("戊", "国籍", ("岛国（东）",))], "他是{value whole 0}人。"),
        ("岛上有一座老老灯塔，每天有船。", [ABOUT], "{value part 0}。"),
        ("我不知道。", [TICKET], "我不知道。"),
    ],
)
def test_knowledge_becomes_slots(reply: str, groups: list[FactGroup], template: str) -> None:
    assert shown(template_of(reply, groups)) == template


def test_facts_are_grouped_by_subject_and_relation() -> None:
    facts = [Fact(subject="甲", relation="乙", object=value) for value in ("丙", "丁", "丙")]
    facts.append(Fact(subject="甲", relation="戊", object=70))
    assert group_facts(facts) == (FactGroup("甲", "乙", ("丙", "丁")), FactGroup("甲", "戊", ("70",)))


def test_a_template_is_filled_with_other_facts() -> None:
    pieces = template_of("青石岛的门票是30元。", [TICKET])
    other = FactGroup("白沙湾（云间城）", "地址", ("云间城海边",))
    assert fill(pieces, [other], [0]) == ("白沙湾", "的", "地址", "是", "云间城海边", "。")


def test_a_list_takes_as_many_values_as_there_are() -> None:
    pieces = template_of("有雾港和灯塔记。", [WORKS])
    assert fill(pieces, [FactGroup("甲", "主演", ("乙", "丙", "丁"))], [0]) == ("有", "乙和丙和丁", "。")


def test_what_the_value_ends_with_is_not_said_again() -> None:
    pieces = template_of("得过金贝壳奖。", [FactGroup("甲", "奖项", ("金贝壳",))])
    assert fill(pieces, [FactGroup("甲", "奖项", ("银帆奖",))], [0]) == ("得过", "银帆奖", "。")


def test_slots_that_the_facts_do_not_fill_leave_nothing() -> None:
    year = template_of("是1946年。", [FactGroup("甲", "出生日期", ("1946年01月05日",))])
    assert fill(year, [TICKET], [0]) is None
    two = template_of("有甲乙、丙丁。", [FactGroup("戊", "主演", ("甲乙，丙丁，己庚",))])
    assert fill(two, [TICKET], [0]) is None
    assert fill(BARE, [ABOUT], [0]) is None


def test_a_part_of_a_text_is_put_where_any_part_can_stand() -> None:
    part = fragments_of(ABOUT.values[0])[0]
    assert fill(BARE, [ABOUT], [0], part) == ("青石岛是云间城外的一个小岛", "。")
    assert takes_part(BARE, [ABOUT], [0])
    assert not takes_part(BARE, [TICKET], [0])
    inside = ("他在", BARE[0], "。")
    assert not takes_part(inside, [ABOUT], [0])


@pytest.mark.parametrize(
    ("reply", "head"),
    [
        ("门票30元，便宜吧？", "{relation whole 0}{value whole 0}。"),
        ("门票30元。", None),
        ("门票30元", None),
        ("不知道，你呢？", None),
    ],
)
def test_the_head_ends_with_the_sentence_of_the_last_value(reply: str, head: str | None) -> None:
    pieces = head_of(template_of(reply, [TICKET]))
    assert (None if pieces is None else shown(pieces)) == head


names = st.text(alphabet="青石岛白沙湾3《》（）， ", min_size=1, max_size=8)


@settings(max_examples=60)
@given(st.text(alphabet="青石岛白沙湾门票是3《》（）， ", max_size=30), names, names)
def test_a_template_filled_with_its_own_facts_says_what_was_said(reply: str, subject: str, value: str) -> None:
    group = FactGroup(subject, "门票", (value,))
    pieces = template_of(reply, [group])
    said = fill(pieces, [group], [0])
    if said is not None and not any(
        isinstance(one, TemplateSlot) and one.form == ITEM for one in pieces
    ):  # says the first
        assert squeezed("".join(said)) in (squeezed(reply), *once(squeezed(reply)))


def squeezed(text: str) -> str:
    return "".join(sign for sign in text if sign.isalnum())


def once(text: str) -> list[str]:
    """The text with any number of doubled signs said once."""
    found = {text}
    for _ in range(len(text)):
        found |= {one[:at] + one[at + 1 :] for one in found for at in range(1, len(one)) if one[at] == one[at - 1]}
        if len(found) > 300:
            break
    return list(found)
