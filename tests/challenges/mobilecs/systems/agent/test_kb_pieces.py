from __future__ import annotations

from duologue.challenges.mobilecs.knowledge.kb import facts_of
from duologue.challenges.mobilecs.systems.agent.kb_pieces import base_with_names, pieces_of

BASE = {
    "ent-1": {"name": "套餐,飞享套餐", "type": "主套餐", "流量总量": "一个G,十个g"},
    "ent-2": {"name": "套餐", "type": "流量包"},
    "ent-3": {"name": "na", "业务费用": "九元"},
    "ent-4": {"type": "业务", "业务费用": "九元"},
    "NA": {"账户余额": "三十块"},
}


def test_pieces_are_names_slots_user_slots_and_types() -> None:
    pieces = pieces_of(base_with_names(facts_of(BASE)))
    assert [(one.owner, one.slot, one.values) for one in pieces] == [
        ("ent-1", "name", ("飞享套餐", "套餐")),
        ("ent-1", "流量总量", ("一个G", "十个g")),
        ("ent-2", "name", ("套餐",)),
        ("NA", "账户余额", ("三十块",)),
        ("咨询", "套餐", ("套餐", "飞享套餐")),
        ("咨询", "主套餐", ("套餐", "飞享套餐")),
        ("咨询", "附加套餐", ("套餐",)),
        ("咨询", "流量包", ("套餐",)),
    ]


def test_an_argument_has_the_name_that_no_other_entity_has() -> None:
    pieces = pieces_of(base_with_names(facts_of(BASE)))
    assert [pieces[place].argument for place in (1, 3, 4)] == ["飞享套餐-流量总量", "账户余额", "套餐"]


def test_a_piece_can_be_read_as_a_line_of_text() -> None:
    pieces = pieces_of(base_with_names(facts_of(BASE)))
    assert pieces[1].text == "名称：飞享套餐，套餐；类型：主套餐；流量总量：一个G，十个g"
    assert pieces[3].text == "账户余额：三十块"


def test_an_empty_base_has_no_pieces() -> None:
    assert pieces_of({}) == []
