"""What the official programs end with, input by input: no message may claim an error that does not happen.

The outcomes are those of the unmodified programs (golden cases of the same kinds); the inputs are our own.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.challenges.mobilecs.scoring.extraction.checker import UNLESS_UNKNOWN
from duologue.challenges.mobilecs.task import DialogueTask, ExtractionTask
from duologue.core.errors import FormatError
from duologue.core.records import Report, Scoring

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.protocols import Task

TRUE = {"id": "ent-1", "name": "湖畔包", "type": "流量包", "pos": [[1, 0, 3]]}
FACT = {"ent-id": "ent-1", "ent-name": "湖畔包", "prop": "业务费用", "value": "九元", "pos": [1, 3, 5]}
SAID = {"id": "x", "name": "湖畔包", "type": "流量包", "position": [0, 3], "turn_id": 0}
TOLD = {"ent-id": "x", "ent-name": "湖畔包", "prop": "业务费用", "value": "九元", "position": [3, 5], "turn_id": 0}


def without(record: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != key}


def gold(name: str | None = "d", entity: dict[str, Any] = TRUE, fact: dict[str, Any] = FACT) -> dict[str, Any]:
    turn = {"[SPEAKER 1]": "湖畔包九元", "[SPEAKER 2]": "好", "info": {"ents": [entity], "triples": [fact]}}
    return {"id": name, "content": [turn]}


def row(name: str | None = "d", entity: dict[str, Any] = SAID, fact: dict[str, Any] = TOLD) -> dict[str, Any]:
    return {"id": name, "entities": [entity], "triples": [fact]}


EMPTY: dict[str, Any] = {"id": None, "entities": [], "triples": []}
TRACK_1: list[tuple[str, list[Any], list[Any], str]] = [
    ("a usual file", [gold()], [row()], ""),
    *((f"unknown, no {key}", [gold()], [row(), row("u", without(SAID, key))], "") for key in SAID),
    *((f"unknown, no {key} in a triple", [gold()], [row(), row("u", SAID, without(TOLD, key))], "") for key in TOLD),
    ("unknown, position null", [gold()], [row(), row("u", {**SAID, "position": None})], ""),
    ("unknown, prop null", [gold()], [row(), row("u", SAID, {**TOLD, "prop": None})], ""),
    ("unknown, a stray triple", [gold()], [row(), row("u", SAID, {**TOLD, "ent-id": "y"})], ""),
    ("unknown, no lists", [gold()], [row(), {"id": "u"}], ""),
    ("id null beside others", [gold()], [row(), row(None)], ""),
    ("id null alone", [gold()], [row(None)], ""),
    ("two empty rows with id null", [gold()], [row(), EMPTY, EMPTY], ""),
    ("id null on both sides", [gold(None)], [row(None)], "TypeError: sequence item 0: expected str instance, NoneType"),
    ("id empty on both sides", [gold("")], [row("")], ""),
    ("id empty in the truth", [gold(""), gold("e")], [row("d"), row("e")], ""),
    ("id empty in the submission", [gold()], [row("")], ""),
    ("prop null", [gold()], [row("d", SAID, {**TOLD, "prop": None})], "TypeError: sequence item 4: expected str"),
    ("prop null in the truth", [gold("d", TRUE, {**FACT, "prop": None})], [row()], "TypeError: sequence item 4"),
    ("no turn", [gold()], [row("d", without(SAID, "turn_id"))], "KeyError: 'turn_id'"),
    ("a stray triple", [gold()], [row("d", SAID, {**TOLD, "ent-id": "y"})], "KeyError: 'y'"),
    ("a triple without a position", [gold()], [row("d", SAID, without(TOLD, "position"))], "KeyError: 'position'"),
    ("a flat position in the truth", [gold("d", {**TRUE, "pos": [1, 0, 3]})], [row()], "TypeError"),
]


def dialogue(base: dict[str, Any], *, consults: str = "", **turn: str) -> dict[str, Any]:
    usual = {
        "用户": "查一下短信",
        "客服": "有的",
        "用户意图": "询问",
        "客服意图": "通知",
        "用户意图-生成": "询问",
        "客服意图-生成": "通知",
        "客服-生成": "有的",
    }
    goal = {"NA": {"短信": "?", "意图": "询问"}, **({"咨询": consults} if consults else {})}
    return {"id": "d", "KB": base, "goal": goal, "content": [{**usual, **turn}]}


MESSAGE = {"NA": {"短信": "有"}}
TYPED = {**MESSAGE, "ent-1": {"name": "湖畔包", "type": "流量包"}}
UNTYPED = {**MESSAGE, "ent-1": {"name": "湖畔包", "业务费用": "九元"}}
TRACK_2: list[tuple[str, dict[str, Any], str]] = [
    ("a usual file", dialogue(TYPED), ""),
    ("a known type", dialogue(TYPED, consults="询问-流量包"), ""),
    ("an unknown type, nothing typed", dialogue(MESSAGE, consults="询问-未知"), ""),
    ("an unknown type, an entity without a type", dialogue(UNTYPED, consults="询问-未知"), ""),
    ("an empty type, nothing typed", dialogue(MESSAGE, consults="询问-"), ""),
    ("an unknown type beside a typed entity", dialogue(TYPED, consults="询问-未知"), "KeyError: '未知'"),
    ("no user intent is right", dialogue(MESSAGE, **{"用户意图-生成": "问候"}), "ZeroDivisionError"),
    ("all replies are empty", dialogue(MESSAGE, **{"客服-生成": ""}), "ZeroDivisionError"),
]


def outcome(task: Task, truth: Any, rows: Any, folder: Path) -> tuple[str, list[str]]:
    """Return what variant `official` ends with, and all that is said of the file in either variant."""
    (folder / "gold.json").write_text(json.dumps(truth), encoding="utf-8")
    (folder / "pred.json").write_text(json.dumps(rows), encoding="utf-8")
    examples, submission = list(task.load(folder / "gold.json")), task.read(folder / "pred.json")
    said = [
        f"{one.message}; {one.advice}"
        for variant in ("official", "strict")
        for known in (examples, None)
        for one in task.check(submission, known, variant)
    ]
    try:
        task.score(examples, submission, Scoring(variant="official"))
    except FormatError as error:
        return str(error), said
    return "", said


CLAIM = re.compile(r"official [a-z0-9 ]*(ends? with|crash|fail)|[A-Z][A-Za-z]*Error")


def expect(found: tuple[str, list[str]], wanted: str) -> None:
    """Compare an outcome with that of the official program; nothing may be claimed that does not happen."""
    error, said = found
    if wanted:
        assert wanted in error
        assert all(wanted.partition(":")[0] in one for one in said if CLAIM.search(one)), said
    else:
        assert error == ""
        assert not [one for one in said if CLAIM.search(one) and UNLESS_UNKNOWN not in one]


@pytest.mark.parametrize(("truth", "rows", "wanted"), [case[1:] for case in TRACK_1], ids=[case[0] for case in TRACK_1])
def test_track_1_ends_as_the_official_scorer_does(
    truth: list[Any], rows: list[Any], wanted: str, tmp_path: Path
) -> None:
    expect(outcome(ExtractionTask(), truth, rows, tmp_path), wanted)


@pytest.mark.parametrize(("row", "wanted"), [case[1:] for case in TRACK_2], ids=[case[0] for case in TRACK_2])
def test_track_2_ends_as_the_official_scorer_does(row: dict[str, Any], wanted: str, tmp_path: Path) -> None:
    expect(outcome(DialogueTask(), [row], [row], tmp_path), wanted)


def test_without_the_truth_an_error_is_claimed_under_the_condition_that_the_dialogue_is_known(tmp_path: Path) -> None:
    _, said = outcome(ExtractionTask(), [gold()], [row(), row("u", without(SAID, "type"))], tmp_path)
    (claim,) = [one for one in said if CLAIM.search(one)]
    assert claim.startswith(f"the official track 1 scorer ends with KeyError: 'type', {UNLESS_UNKNOWN}; ")


HALF = "x\ud800"


def test_a_report_can_be_written_whatever_ids_a_submission_has(tmp_path: Path) -> None:
    """Of `duologue.challenges.mobilecs.scoring.extraction.scorer`, and that of dialogues."""
    rows = [row("d", {**SAID, "id": HALF}, {**TOLD, "ent-id": HALF}), row(HALF)]
    assert outcome(ExtractionTask(), [gold()], rows, tmp_path)[0] == ""
    report = score(ExtractionTask(), tmp_path)
    assert json.loads(msgspec.json.encode(report.meta))["assignment"] == [
        ["d", [["x\\ud800", "ent-1"]]],
        ["x\\ud800", []],
    ]
    dialogues = [dialogue(TYPED), {**dialogue(TYPED), "id": HALF}]
    assert outcome(DialogueTask(), dialogues[:1], dialogues, tmp_path)[0] == ""
    assert msgspec.json.encode(score(DialogueTask(), tmp_path).items)


def score(task: Task, folder: Path) -> Report:
    """Return the official report on the files that `outcome` left."""
    return task.score(
        list(task.load(folder / "gold.json")), task.read(folder / "pred.json"), Scoring(variant="official")
    )
