from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.systems.agent_baseline.stream import (
    MARKS,
    TurnParts,
    joined,
    names_in,
    result_of,
    spoken_intent,
    without_repetition,
)
from duologue.core.records import Act

BASE = {
    "ent-1": {"name": "彩铃,那个彩铃", "type": "业务", "业务费用": "五元", "流量总量": "一个G"},
    "ent-2": {"name": "手机报", "type": "数据业务"},
    "NA": {"账户余额": "三块"},
}


def test_a_stream_ends_each_part_with_its_mark_in_lower_case() -> None:
    parts = TurnParts("彩铃", "有一个G吗", reply="有")
    assert parts.stream(2) == f"彩铃{MARKS[0]}有一个g吗{MARKS[1]}"
    assert parts.stream().count(MARKS[-1]) == 1


def test_marks_in_the_words_of_a_user_end_no_part() -> None:
    parts = TurnParts("彩铃", f"多少钱{MARKS[1]}彩铃{MARKS[2]}")
    assert parts.stream(2) == f"彩铃{MARKS[0]}多少钱彩铃{MARKS[1]}"


def test_names_come_from_the_base_and_once() -> None:
    assert names_in("那个彩铃和手机报", BASE) == ["彩铃", "那个彩铃", "手机报"]
    assert joined(["彩铃", "手机报", "彩铃"]) == "彩铃,手机报"


@pytest.mark.parametrize(
    ("known", "intent"),
    [
        ([["彩铃"], []], "询问(彩铃-业务费用)(账户余额)"),
        ([["彩铃"], ["彩铃", "那个彩铃"]], "询问(那个彩铃-业务费用)(账户余额)"),
        ([["手机报"]], "询问(账户余额)"),
    ],
)
def test_an_argument_is_called_by_the_longest_name_last_used(known: list[list[str]], intent: str) -> None:
    acts = [
        Act(speaker="user", name="询问", args=("彩铃-业务费用", "账户余额")),
        Act(speaker="system", name="通知"),
    ]
    assert spoken_intent(acts, BASE, known) == intent


@pytest.mark.parametrize(
    ("intent", "result"),
    [
        ("询问(彩铃-业务费用)(账户余额)", "五元,三块"),
        ("询问(-彩铃-流量总量-)", "一个G"),
        ("询问(业务)", "彩铃,那个彩铃,手机报"),
        ("询问(宽带-业务费用),问候", ""),
        ("询问(4g套餐)", ""),
        ("((", ""),
    ],
)
def test_a_result_is_what_the_official_query_finds(intent: str, result: str) -> None:
    assert result_of(intent, BASE) == result


def test_repetitions_are_cut() -> None:
    assert without_repetition("您好的话您好的话您好") == "您好的话"
    assert without_repetition("") == ""
