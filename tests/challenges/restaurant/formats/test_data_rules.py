from __future__ import annotations

import copy
from typing import Any

import pytest

from duologue.challenges.restaurant.formats.data_rules import DATA_RULES, data_problems
from duologue.core.decoded import shown

ROW: dict[str, Any] = {
    "dialog_id": "d1",
    "utterances": ["hi", "hello what can i help you with today", "may i have a table"],
    "candidates": [{"candidate_id": "a", "utterance": "i'm on it"}, {"candidate_id": "b", "utterance": "no"}],
    "answer": {"candidate_id": "a", "utterance": "i'm on it"},
}


def broken(**changes: Any) -> list[Any]:
    row = copy.deepcopy(ROW)
    for key, value in changes.items():
        if value is ...:
            del row[key]
        else:
            row[key] = value
    return [row]


BROKEN: dict[str, list[Any]] = {
    "item-not-object": [ROW, "x"],
    "dialog-id-missing": broken(dialog_id=None),
    "dialog-id-type": broken(dialog_id=7),
    "dialog-id-repeated": [ROW, ROW],
    "utterances-missing": broken(utterances=...),
    "utterances-type": broken(utterances=["hi", 3]),
    "candidates-missing": broken(candidates=..., answer=...),
    "candidates-type": broken(candidates={}, answer=...),
    "candidate-id-missing": broken(candidates=[*ROW["candidates"], {"utterance": "x"}]),
    "candidate-id-type": broken(candidates=[*ROW["candidates"], {"candidate_id": 1, "utterance": "x"}]),
    "candidate-id-repeated": broken(candidates=[*ROW["candidates"], ROW["candidates"][1]]),
    "candidate-text": broken(candidates=[*ROW["candidates"], {"candidate_id": "c"}]),
    "answer-type": broken(answer="a"),
    "answer-unknown": broken(answer={"candidate_id": "z", "utterance": "no"}),
    "answer-differs": broken(answer={"candidate_id": "a", "utterance": "no"}),
}


def test_a_good_row_has_no_problem() -> None:
    assert data_problems([ROW]) == []
    assert data_problems(broken(answer=None)) == []
    assert data_problems(broken(more="is kept")) == []


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_is_broken_by_its_own_rows_alone(rule: str) -> None:
    assert [problem.rule for problem in data_problems(BROKEN[rule])] == [rule]
    assert rule in DATA_RULES


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("dialog_id", "\ud800", "dialog-id-type"),
        ("utterances", ["hi", "\udfff"], "utterances-type"),
        ("candidates", [*ROW["candidates"], {"candidate_id": "c", "utterance": "\ud800"}], "candidate-text"),
    ],
)
def test_half_a_character_is_no_text(field: str, value: Any, rule: str) -> None:
    (problem,) = data_problems(broken(**{field: value}))
    assert problem.rule == rule
    assert problem.message.isprintable()


def test_every_rule_about_rows_has_its_broken_rows() -> None:
    of_files = {"not-a-list", "foreign-file", "too-many-problems"}
    assert set(DATA_RULES) == set(BROKEN) | of_files


def test_all_problems_of_all_rows_come_at_once_with_their_places() -> None:
    rows = [{"dialog_id": "d1"}, {"Dialog-ID": "d2", "utterances": [], "candidates": [3]}]
    found = [(problem.place, problem.rule, problem.advice) for problem in data_problems(rows)]
    assert found == [
        ("dialogue 'd1'", "utterances-missing", ""),
        ("dialogue 'd1'", "candidates-missing", ""),
        ("item 2", "dialog-id-missing", "rename 'Dialog-ID' to 'dialog_id'"),
        ("item 2", "utterances-type", ""),
        ("item 2, candidate 1", "candidates-type", ""),
    ]


def test_the_list_of_problems_has_an_end() -> None:
    found = data_problems([0] * 100_000)
    assert len(found) == 1001
    assert found[-1].rule == "too-many-problems"


def test_values_are_shown_in_few_words() -> None:
    assert shown("x" * 100) == repr("x" * 57 + "...")
    values: tuple[Any, ...] = (None, True, 3, 2.5, ["x"], {})
    assert [shown(value) for value in values] == ["null", "true", "3", "2.5", "a list of 1", "an object"]
    assert shown(10**5000) == "a number of more than 18 digits"
