from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.challenges.proactive.formats.test_files import GOAL, SESSION, sample, written
from tests.strategies import json_values

from duologue.challenges.proactive.formats import files, stored
from duologue.challenges.proactive.formats.rules import form_of, is_regular, row_problems
from duologue.challenges.proactive.formats.stored import StoredExamples
from duologue.challenges.proactive.schema import INFO
from duologue.challenges.proactive.scoring import scorer
from duologue.challenges.proactive.scoring.alignment import reference_of
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.errors import FormatError
from duologue.core.records import Scoring

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Example, Problem

ROWS = [
    sample(2, response="看 过 云海 吗 ？"),
    sample(0, response="你 好"),
    {**sample(0, response="云海 很 美"), "goal": [["START", "云海", "甲"]]},
    sample(2, response="云海 。"),
    sample(2, response=""),
    sample(4, response="再见", id="mine"),
]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take six lines for very many."""
    for module in (stored, scorer):
        monkeypatch.setattr(module, "HELD_LIMIT", 5)
    monkeypatch.setattr(scorer, "_RUNS", 3)


@pytest.mark.parametrize("rows", [ROWS, [SESSION, {**SESSION, "id": "x"}, {**SESSION, "conversation": []}]])
@pytest.mark.parametrize("portion", [1, 2, 100])
def test_they_are_the_examples_of_the_file(
    rows: list[Any], portion: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "_PORTION", portion)
    path = written(tmp_path / "s.jsonl", rows)
    held, found = files.load(path), StoredExamples(path)
    assert list(found) == list(found) == held
    assert len(found) == len(held)
    assert list(found.ids_and_replies()) == [(one.sample.id, reference_of(one)) for one in held]
    assert [found[place] for place in range(-len(held), len(held))] == held + held
    assert found[1:3] == held[1:3]
    assert found[::-2] == held[::-2]
    assert found[9:] == []
    with pytest.raises(IndexError):
        found[len(held)]


@pytest.mark.usefixtures("large")
def test_only_a_large_file_is_not_held(tmp_path: Path) -> None:
    task = ProactiveTask()
    assert isinstance(task.load_files([written(tmp_path / "large", ROWS)]), StoredExamples)
    assert isinstance(task.load_files([written(tmp_path / "small", ROWS[:5])]), list)
    few = task.load_files([written(tmp_path / "few", [{**SESSION, "conversation": []}] * 20)])  # many lines
    assert few == []


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("variant", INFO.variants)
@pytest.mark.parametrize("form", ["replies", "evaluation"])
def test_a_large_truth_gives_the_report_that_it_gives_when_it_is_held(
    variant: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, how = ProactiveTask(), Scoring(variant=variant)
    gold, result = written(tmp_path / "gold", ROWS), tmp_path / "replies.txt"
    said = ["你 看 。", "云海 。", "他 是 导演 。", "你 ？", "很 美 。", "林小舟 。"]
    lines = [
        f"{one}\t{row['response'] or '无'}" if form == "evaluation" else one
        for one, row in zip(said, ROWS, strict=True)
    ]
    result.write_text("\n".join(lines), encoding="utf-8")
    expected = _told(task, files.load(gold), result, how)
    large = task.load_files([gold])
    monkeypatch.setattr(stored, "examples_of", None)  # the file is not read anew
    assert _told(task, large, result, how) == expected


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("broken", [{"response": "a\nb"}, {}], ids=["line end", "no reply"])
def test_a_large_truth_that_cannot_be_scored_against_is_refused_as_when_it_is_held(
    broken: dict[str, Any], tmp_path: Path
) -> None:
    rows = [*ROWS, {**sample(0), **broken}]
    gold, result = written(tmp_path / "gold", rows), tmp_path / "replies.txt"
    result.write_text("你 好\n" * 7, encoding="utf-8")
    task = ProactiveTask()
    how = Scoring(variant="strict")
    told = [_told(task, truth, result, how) for truth in (files.load(gold), task.load_files([gold]))]
    assert told[0] == told[1]
    assert "sample '000002#00'" in str(told[0])


def _told(task: ProactiveTask, truth: Any, result: Path, how: Scoring) -> Any:
    try:
        return task.score(truth, task.read(result), how)
    except FormatError as error:
        return error.path, error.problems


@given(
    st.lists(st.sampled_from(ROWS), min_size=6, max_size=8),
    st.lists(
        st.tuples(st.integers(0, 7), st.sampled_from(["goal", "knowledge", "history", "response", "id"]), json_values)
    ),
)
def test_a_large_file_is_refused_with_all_its_problems_as_a_small_one_is(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], changes: list[tuple[int, str, Any]]
) -> None:
    rows = [dict(row) for row in rows]
    for place, field, value in changes:
        rows[place % len(rows)][field] = value
    path = tmp_path_factory.mktemp("rows") / "s.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    outcomes: list[tuple[list[Example], tuple[Problem, ...]]] = []
    for read in (files.load, StoredExamples):
        try:
            outcomes.append((list(read(path)), ()))
        except FormatError as error:
            outcomes.append(([], error.problems))
    assert outcomes[0] == outcomes[1]


@given(
    st.sampled_from([sample(0), sample(2, response="x"), SESSION]),
    st.dictionaries(st.sampled_from(["goal", "knowledge", "history", "response", "conversation", "x"]), json_values),
    st.sampled_from([None, "sample", "session"]),
)
def test_a_row_that_is_fine_at_one_look_has_no_problem(
    row: dict[str, Any], more: dict[str, Any], form: str | None
) -> None:
    changed = json.loads(json.dumps(row | more))
    if is_regular(changed, form):
        assert list(row_problems(changed, form or form_of(changed))) == []


def test_usual_rows_are_fine_at_one_look() -> None:
    assert all(is_regular(row, None) for row in (*ROWS, SESSION))
    assert not is_regular({**SESSION, "goal": []}, None)
    assert not is_regular({**SESSION, "goal": GOAL[1:]}, None)
    assert not is_regular(sample(1), None)
    assert not is_regular(sample(2), "session")
