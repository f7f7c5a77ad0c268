from __future__ import annotations

from duologue.challenges.mobilecs.knowledge.goal import goal_and_base, goal_of, goal_row
from duologue.core.records import Goal, Item


def turn(text: str, intent: str, ents: list[dict[str, str]], triples: list[dict[str, str]]) -> dict[str, object]:
    return {"用户": text, "用户意图": intent, "info": {"ents": ents, "triples": triples}}


def triple(entity: str, slot: str, value: str, name: str = "NA") -> dict[str, str]:
    return {"ent-id": entity, "ent-name": name, "prop": slot, "value": value}


def test_an_entity_that_a_triple_brings_first_never_gets_a_type() -> None:
    goal, base = goal_and_base(
        [
            turn("五G的", "提供信息", [], [triple("ent-1", "流量总量", "五G", "A包")]),
            turn("B包", "询问", [{"id": "ent-1", "name": "B包", "type": "流量包"}], []),
        ]
    )
    assert base == {"ent-1": {"name": "a包,b包", "流量总量": "五G"}}
    assert goal == {"ent-1": {"name": "A包,B包", "流量总量": "五G"}}


def test_what_is_asked_of_the_user_and_of_an_entity_has_different_keys() -> None:
    goal, _ = goal_and_base([turn("", "询问(欠费),求助-查询(ent-10-业务费用)(流量包)", [], [])])
    assert goal == {
        "NA": {"欠费": "?", "意图": "询问"},
        "ent-1": {"0-业务费用": "?", "用户意图": "求助-查询"},
        "咨询": "求助-查询-流量包",
    }


def test_an_owner_that_is_no_entity_gets_an_entry_without_a_name_as_in_the_official_code() -> None:
    turns = [turn("报停吧", "", [], [triple("na", "用户需求", "报停"), triple("entx", "业务费用", "十元")])]
    goal, base = goal_and_base(turns)
    assert base == {"na": {"用户需求": "报停"}, "entx": {"name": "na", "业务费用": "十元"}}
    assert goal == {"na": {"用户需求": "报停"}}


def test_a_slot_with_capitals_keeps_its_last_value_in_the_base_and_all_in_the_goal() -> None:
    goal, base = goal_and_base([turn("一，二", "", [], [triple("NA", "APP费", "一"), triple("NA", "APP费", "二")])])
    assert (goal, base) == ({"NA": {"APP费": "一,二"}}, {"NA": {"app费": "二"}})


def test_records_that_lack_a_part_say_nothing() -> None:
    whole = triple("ent-1", "业务费用", "一")
    lacking = [{key: value for key, value in whole.items() if key != one} for one in ("ent-id", "prop", "value")]
    ents = [{"name": "甲包", "ent-id": "ent-1", "type": "套餐"}, {"id": "ent-2", "name": "乙包"}]
    goal, base = goal_and_base([turn("一", "", ents, lacking), {"用户": "二", "用户意图": ""}])
    assert (goal, base) == ({}, {"ent-2": {"name": "乙包", "type": " "}})


def test_a_doubled_bracket_is_no_part_of_an_argument() -> None:
    goal, _ = goal_and_base([turn("", "询问((ent-1-业务费用),主动确认((5G套餐)((欠费)", [], [])])
    assert goal == {
        "ent-1": {"业务费用": "?", "用户意图": "询问"},
        "咨询": "主动确认-5G套餐",
        "NA": {"欠费": "?", "意图": "主动确认"},
    }


def test_a_goal_is_items_and_consultations() -> None:
    decoded = {
        "ent-1": {"type": "流量包", "name": "冬日包", "业务费用": "?,十元", "用户意图": "询问"},
        "NA": {"欠费": "?", "意图": "求助-查询"},
        "咨询": "询问-流量包",
    }
    assert goal_of(decoded) == Goal(
        items=(
            Item(
                name="ent-1",
                kind="流量包",
                known={"name": "冬日包", "业务费用": "十元"},
                asked=("业务费用",),
                intents=("询问",),
            ),
            Item(asked=("欠费",), intents=("求助-查询",)),
        ),
        consultations=("询问-流量包",),
    )
    assert goal_of(None) is None
    assert goal_of({"ent-1": 3, "咨询": ["a", 1]}) == Goal(consultations=("a",))


def test_a_goal_record_gives_its_row_back() -> None:
    row = {
        "ent-1": {"type": "套餐", "name": "十八的", "业务费用": "十八块钱,十八,?", "用户意图": "求助-查询,主动确认"},
        "NA": {"持有套餐": "十八的", "账户余额": "?", "意图": "询问"},
        "咨询": "询问-流量包,求助-查询-套餐",
    }
    goal = goal_of(row)
    assert goal is not None
    assert goal_row(goal) == row
