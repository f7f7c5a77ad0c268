from __future__ import annotations

import copy
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.mobilecs.formats.files import load_extraction
from duologue.challenges.mobilecs.scoring.extraction import checker
from duologue.challenges.mobilecs.task import ExtractionTask
from duologue.core import findings
from duologue.core.records import Scoring

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Example

TASK = ExtractionTask()


@pytest.fixture
def examples(golden: Path) -> list[Example]:
    return load_extraction(golden / "extraction/contract/raw.json")


@pytest.fixture
def good(examples: list[Example], tmp_path: Path) -> list[Any]:
    """The rows of a perfect result file."""
    TASK.write([(one.sample.id, one.references[0]) for one in examples], tmp_path / "good.json")
    return json.loads((tmp_path / "good.json").read_bytes())  # type: ignore[no-any-return]  # decoded JSON


def changed(rows: list[Any], place: str, value: Any = ...) -> bytes:
    """Return the rows as a file with the value at a JSON pointer put, or taken away."""
    rows = copy.deepcopy(rows)
    *path, last = [int(one) if one.isdigit() else one for one in place.split("/")[1:]]
    inner: Any = rows
    for one in path:
        inner = inner[one]
    if value is ...:
        del inner[last]
    elif last == "+":
        inner.append(value)
    else:
        inner[last] = value
    return json.dumps(rows).encode()


# rule: where in the good rows, and what is put there (... = taken away)
BROKEN: dict[str, tuple[str, Any]] = {
    "item-not-object": ("/+", "x"),
    "dialog-id-missing": ("/+", {"entities": [], "triples": []}),
    "dialog-id-type": ("/+", {"id": 7, "entities": [], "triples": []}),
    "dialog-unknown": ("/+", {"id": "other", "entities": [], "triples": []}),
    "dialog-missing": ("/3", ...),
    "entities-type": ("/3", {"id": "00000000000000000000000000000a04", "triples": []}),
    "triples-type": ("/0/triples", "none"),
    "entity-type": ("/0/entities/0/name", ""),
    "entity-type-unknown": ("/0/entities/0/type", "宽带"),
    "triple-type": ("/0/triples/0/value", 3),
    "triple-unmentioned": ("/0/triples/0/ent-id", "ent-9"),
    "position-type": ("/0/entities/0/position", [3, 2]),
    "position-missing": ("/0/triples/0/position", ...),
    "position-text": ("/0/entities/0/position", [1, 5]),
    "turn-type": ("/0/entities/0/turn_id", -1),
    "turn-spelled": ("/0/entities/0/turn_id", "0"),
    "turn-from-utterance": ("/0/entities/0/turn_id", ...),
    "turn-differs": ("/0/entities/0/utterance_id", 2),
}


def found(data: bytes, folder: Path, examples: list[Example] | None, variant: str = "strict") -> list[tuple[str, str]]:
    (folder / "x.json").write_bytes(data)
    problems = TASK.check(TASK.read(folder / "x.json"), examples, variant)
    return [(problem.rule, problem.severity) for problem in problems]


def test_a_good_file_has_no_problem(good: list[Any], examples: list[Example], tmp_path: Path) -> None:
    for data in (json.dumps(good).encode(), json.dumps(good[::-1], indent=1).replace("\n", "\r\n").encode()):
        assert found(data, tmp_path, examples) == []
        assert found(gzip.compress(data), tmp_path, None) == []
        assert found(data, tmp_path, examples, "official") == []


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_is_broken_by_its_own_file_alone(
    rule: str, good: list[Any], examples: list[Example], tmp_path: Path
) -> None:
    severity = "warning" if "(a warning" in checker.RULES[rule] else "error"
    assert found(changed(good, *BROKEN[rule]), tmp_path, examples) == [(rule, severity)]


def test_files_that_break_their_bytes(good: list[Any], examples: list[Example], tmp_path: Path) -> None:
    data = json.dumps(good, ensure_ascii=False).encode()
    assert found(gzip.compress(data)[:-9], tmp_path, examples) == [("gzip-damaged", "error")]
    assert found(data.replace("套餐".encode(), b"\xff"), tmp_path, examples) == [("not-utf8", "error")]
    assert found(data[:-3], tmp_path, examples) == [("not-json", "error")]
    assert found(b"\xef\xbb\xbf" + data, tmp_path, examples) == [("byte-order-mark", "warning")]
    assert found(b"\xef\xbb\xbf" + data, tmp_path, examples, "official") == [("byte-order-mark", "error")]
    assert found(b"{}", tmp_path, None) == [("not-a-list", "error")]
    assert found(b"[]", tmp_path, None) == [("no-dialogues", "warning")]


def test_what_is_given_twice(good: list[Any], examples: list[Example], tmp_path: Path) -> None:
    assert found(changed(good, "/+", good[0]), tmp_path, examples) == [("dialog-id-repeated", "error")]
    again = changed(good, "/0/entities/+", good[0]["entities"][0])
    assert found(again, tmp_path, examples) == [("entity-repeated", "warning")]
    again = changed(good, "/0/triples/+", good[0]["triples"][0])
    assert found(again, tmp_path, examples) == [("triple-repeated", "warning")]


def test_turns_that_are_missing_or_beyond_the_dialogue(
    good: list[Any], examples: list[Example], tmp_path: Path
) -> None:
    bare = {key: value for key, value in good[0]["triples"][0].items() if key not in {"turn_id", "utterance_id"}}
    assert found(changed(good, "/0/triples/+", bare), tmp_path, examples) == [("turn-missing", "error")]
    late = changed(good, "/0/triples/+", {**bare, "turn_id": 5})
    assert found(late, tmp_path, examples) == [("turn-unknown", "error")]
    assert found(late, tmp_path, None) == []


def test_the_official_check_names_the_crash(good: list[Any], examples: list[Example], tmp_path: Path) -> None:
    for rule in ("position-missing", "turn-from-utterance", "triple-unmentioned"):
        assert found(changed(good, *BROKEN[rule]), tmp_path, examples, "official") == [("official-crash", "error")]


def test_the_check_tells_the_first_problems_and_counts_the_others(
    examples: list[Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(findings, "MOST", 5)
    rules = [rule for rule, _ in found(b"[1,2,3,4,5,6,7]", tmp_path, examples)]
    assert rules == ["item-not-object"] * 5 + ["too-many-problems"]


def test_warnings_however_many_refuse_nothing(
    good: list[Any], examples: list[Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(findings, "MOST", 3)
    good[0]["triples"] += [good[0]["triples"][0]] * 10
    warned = found(json.dumps(good).encode(), tmp_path, examples)
    assert warned == [*[("triple-repeated", "warning")] * 3, ("too-many-problems", "warning")]
    assert TASK.score(examples, TASK.read(tmp_path / "x.json"), Scoring(variant="strict")).n == 4


def test_every_rule_has_its_broken_file() -> None:
    told_elsewhere = {
        "gzip-damaged",
        "unpacked-size",
        "not-utf8",
        "byte-order-mark",
        "not-json",
        "not-a-list",
        "no-dialogues",
    }
    told_elsewhere |= {"dialog-id-repeated", "entity-repeated", "triple-repeated", "turn-missing", "turn-unknown"}
    told_elsewhere |= {"official-crash", "too-many-problems"}
    assert set(checker.RULES) == set(BROKEN) | told_elsewhere


def test_a_problem_says_where_and_what_to_do(good: list[Any], examples: list[Example], tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(changed(good, *BROKEN["position-text"]))
    (problem,) = TASK.check(TASK.read(tmp_path / "x.json"), examples, "strict")
    assert problem.place == "dialogue '00000000000000000000000000000a01', /0/entities/0"
    assert "covers '好请讲' or '松套餐一', expected '青松套餐'" in problem.message
    assert problem.advice == "positions count characters of one utterance from 0"
