from __future__ import annotations

from typing import Any

import pytest
from tests.challenges.mobilecs.simulator.simulated_calls import calls

from duologue.challenges.mobilecs.scoring.dialogue import official
from duologue.challenges.mobilecs.simulator.requests import are_answered, requests_of

BASE = {
    "ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元,五块", "业务规则": "当月生效"},
    "NA": {"账户余额": "三十元"},
}


def requested(goal: dict[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.argument, one.values) for one in requests_of(goal, BASE)]


def test_requests_of_services_the_user_and_types() -> None:
    goal = {
        "ent-1": {"name": "彩铃", "业务费用": "五块,?", "流量总量": "?", "用户意图": "求助-查询"},
        "NA": {"账户余额": "?", "意图": "询问"},
        "咨询": "求助-查询-业务",
    }
    assert requested(goal) == [
        ("ent-1-业务费用", ("五元",)),
        ("ent-1-流量总量", ()),
        ("账户余额", ("三十元",)),
        ("业务", ("彩铃",)),
    ]
    assert [one.labels for one in requests_of(goal, BASE)] == [
        ("求助-查询",),
        ("求助-查询",),
        ("询问",),
        ("求助-查询",),
    ]


def test_those_with_values_are_the_requested_items_of_the_official_scorer() -> None:
    for row in calls():
        found = [",".join(one.values) for one in requests_of(row["goal"], row["KB"]) if one.values]
        assert found == official.requested_items(row["goal"], row["KB"])


def test_a_type_that_the_official_code_does_not_know() -> None:
    with pytest.raises(KeyError):
        list(requests_of({"咨询": "询问-电视"}, BASE))


@pytest.mark.parametrize(("reply", "answered"), [("五元的", True), ("五块", False), ("", False)])
def test_a_dialogue_whose_replies_answer_its_requests(reply: str, *, answered: bool) -> None:
    content = [{"用户意图": "询问(ent-1-业务费用)", "客服": reply}]
    goal = {"ent-1": {"业务费用": "五块,?", "用户意图": "询问"}}
    assert are_answered({"KB": BASE, "goal": goal, "content": content}) is answered
