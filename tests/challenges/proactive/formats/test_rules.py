from __future__ import annotations

from typing import Any

import pytest

from duologue.challenges.proactive.formats.rules import DATA_RULES, form_of, row_problems
from duologue.core.decoded import shown

SAMPLE: dict[str, Any] = {
    "goal": [["START", "云海", "林 小舟"], ["云海", "导演", "林 小舟"]],
    "knowledge": [["云海", "领域", "电影"], ["林 小舟", "领域", "明星"]],
    "history": ["你 好", "你 好 呀"],
    "response": "看 过 云海 吗 ？",
}
SESSION: dict[str, Any] = {
    "goal": SAMPLE["goal"],
    "knowledge": SAMPLE["knowledge"],
    "conversation": ["你 好", "你 好 呀", "看 过 云海 吗 ？"],
}


def rules(row: Any, form: str | None = None) -> list[str]:
    found = list(row_problems(row, form))
    assert all(problem.message for problem in found)
    return [problem.rule for problem in found]


def test_good_rows_have_no_problems() -> None:
    assert rules(SAMPLE) == rules(SESSION) == rules({**SAMPLE, "id": "x", "more": 1}) == []
    assert rules({**SAMPLE, "history": []}) == rules({**SESSION, "conversation": []}) == []
    assert (form_of(SAMPLE), form_of(SESSION), form_of({}), form_of([])) == ("sample", "session", None, None)


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ([], "row-not-object"),
        ({"goal": []}, "row-form"),
        ({**SAMPLE, "goal": "x"}, "goal-type"),
        ({**SAMPLE, "goal": [["START", "a"]]}, "goal-type"),
        ({**SAMPLE, "goal": [["START", "a", 3]]}, "goal-type"),
        ({**SAMPLE, "goal": [["GO", "a", "b"]]}, "goal-start"),
        ({**SAMPLE, "goal": []}, "goal-start"),
        ({key: SAMPLE[key] for key in ("knowledge", "history")}, "goal-missing"),
        ({key: SAMPLE[key] for key in ("goal", "history")}, "knowledge-missing"),
        ({**SAMPLE, "knowledge": [["a", "b"]]}, "knowledge-type"),
        ({**SAMPLE, "knowledge": None}, "knowledge-type"),
        ({**SAMPLE, "history": "x"}, "turns-type"),
        ({**SESSION, "conversation": [None]}, "turns-type"),
        ({**SAMPLE, "history": ["x"]}, "history-odd"),
        ({**SESSION, "conversation": ["x"] * 5_001}, "dialogue-long"),
        ({**SAMPLE, "response": None}, "response-type"),
        ({**SAMPLE, "response": "\ud800"}, "text-surrogate"),
    ],
)
def test_each_rule_has_a_row_that_breaks_it_alone(row: Any, rule: str) -> None:
    assert rules(row) == [rule]
    assert rule in DATA_RULES


def test_a_file_holds_rows_of_one_form() -> None:
    assert rules(SAMPLE, "session") == ["row-form"]


def test_all_problems_of_a_row_are_found_at_once() -> None:
    assert rules({"goal": 1, "knowledge": [1], "history": [1], "response": 1}) == [
        "goal-type",
        "knowledge-type",
        "turns-type",
        "history-odd",
        "response-type",
    ]


@pytest.mark.parametrize(
    ("value", "text"), [("x" * 99, "'" + "x" * 57 + "...'"), ({}, "an object"), (True, "true"), (1.5, "1.5")]
)
def test_values_are_shown_in_few_words(value: Any, text: str) -> None:
    assert shown(value) == text
    assert shown(10**5000) == "a number of more than 18 digits"
