from __future__ import annotations

from rich.cells import cell_len

from duologue.challenges.mobilecs.formats.tables import base_table, goal_table

BASE = """knowledge base:
    entity  slot                        value
    ent-1   name                        套餐, 十八的
            type                        4g套餐 (4G plan)
            业务费用 (fee)              十八块
    user    账户余额 (account balance)  三块
"""

GOAL = """goal:
    entity  slot                   asked  said by the user
    ent-1   type                          套餐 (plan)
            业务费用 (fee)         asked  十八块, 十八
            用户意图 (asked with)         求助-查询 (seek help: query), 询问 (ask)
    user    短信 (text message)    asked
            意图 (asked with)             主动确认 (seek confirmation)
"""


def test_a_knowledge_base_is_a_table_in_which_wide_characters_take_two_columns() -> None:
    entries = {
        "ent-1": {"name": "套餐,十八的", "type": "4g套餐", "业务费用": "十八块"},
        "NA": {"账户余额": "三块"},
    }
    lines = base_table(entries)
    assert [f"{line}\n" for line in lines] == BASE.splitlines(keepends=True)
    column = cell_len(lines[1][: lines[1].index("value")])
    assert {
        cell_len(line[: line.index(value)])
        for line, value in zip(lines[2:], ("套餐, ", "4g", "十", "三块"), strict=True)
    } == {column}
    assert base_table({}) == ["knowledge base: empty"]
    assert base_table(entries, "zh")[1].split() == ["实体", "属性", "值"]


def test_a_goal_tells_what_is_asked_for_apart_from_what_is_said() -> None:
    entries = {
        "ent-1": {"type": "套餐", "业务费用": "?,十八块,十八", "用户意图": "求助-查询,询问"},
        "NA": {"短信": "?", "意图": "主动确认"},
    }
    lines = goal_table(entries)
    assert [f"{line}\n" for line in lines] == GOAL.splitlines(keepends=True)
    for consultations in ("询问-流量包,求助-查询-套餐", ["询问-流量包", "求助-查询-套餐"]):
        lines = goal_table({"咨询": consultations})
        assert [line.split(maxsplit=3)[-1] for line in lines[2:]] == [
            "询问 (ask): 流量包 (data pack)",
            "求助-查询 (seek help: query): 套餐 (plan)",
        ]
    assert goal_table({}) == ["goal: empty"]
