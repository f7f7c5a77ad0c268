from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.mobilecs.scoring.dialogue import checker
from duologue.challenges.mobilecs.scoring.official_errors import OfficialError
from duologue.challenges.mobilecs.task import DialogueTask

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Example

TASK = DialogueTask()


@pytest.fixture
def examples(golden: Path) -> list[Example]:
    return list(TASK.load(golden / "dialogue/contract/dialogues.json"))


@pytest.fixture
def good(examples: list[Example], tmp_path: Path) -> list[Any]:
    """The rows of a perfect result file."""
    TASK.write([(one.sample.id, one.references[0]) for one in examples], tmp_path / "good.json")
    return json.loads((tmp_path / "good.json").read_bytes())  # type: ignore[no-any-return]  # decoded JSON


def changed(rows: list[Any], place: str, value: Any = ...) -> bytes:
    """Return the rows as a file with the value at a JSON pointer put, or taken away."""
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


FILLED = {"用户意图-生成": "", "客服意图-生成": "", "客服-生成": "好"}
BROKEN: dict[str, tuple[str, Any]] = {
    "item-not-object": ("/+", 3),
    "dialog-id-missing": ("/+", {"content": []}),
    "dialog-id-type": ("/+", {"id": "", "content": []}),
    "dialog-unknown": ("/+", {"id": "other", "content": []}),
    "dialog-missing": ("/3", ...),
    "content-type": ("/0/content", None),
    "turn-type": ("/0/content/0", []),
    "turn-missing": ("/0/content/3", ...),
    "turn-unknown": ("/0/content/+", FILLED),
    "user-text-differs": ("/0/content/0/用户", "别的"),
    "generated-missing": ("/0/content/0/客服-生成", ...),
    "generated-type": ("/0/content/0/客服-生成", None),
    "label-unknown": ("/0/content/0/客服意图-生成", "通知,介绍"),
    "argument-with-id": ("/0/content/0/用户意图-生成", "询问(ent-1-业务费用)"),
}


def found(data: bytes, folder: Path, examples: list[Example] | None, variant: str = "strict") -> list[tuple[str, str]]:
    (folder / "x.json").write_bytes(data)
    problems = TASK.check(TASK.read(folder / "x.json"), examples, variant)
    return [(problem.rule, problem.severity) for problem in problems]


def test_a_good_file_has_no_problem(good: list[Any], examples: list[Example], tmp_path: Path) -> None:
    for data in (json.dumps(good).encode(), json.dumps(good[::-1]).encode()):
        for known in (None, examples):
            for variant in ("strict", "official"):
                assert found(data, tmp_path, known, variant) == []


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_is_broken_by_its_own_file_alone(
    rule: str, good: list[Any], examples: list[Example], tmp_path: Path
) -> None:
    severity = "warning" if "(a warning" in checker.RULES[rule] else "error"
    assert found(changed(good, *BROKEN[rule]), tmp_path, examples) == [(rule, severity)]


def test_files_that_break_their_bytes(good: list[Any], examples: list[Example], tmp_path: Path) -> None:
    data = json.dumps(good, ensure_ascii=False).encode()
    assert found(b"\x1f\x8b" + data, tmp_path, examples) == [("gzip-damaged", "error")]
    assert found(data.replace("套餐".encode(), b"\xff"), tmp_path, examples) == [("not-utf8", "error")]
    assert found(data[:-3], tmp_path, examples) == [("not-json", "error")]
    assert found(b"\xef\xbb\xbf" + data, tmp_path, examples) == [("byte-order-mark", "warning")]
    assert found(b"3", tmp_path, None) == [("not-a-list", "error")]
    assert found(b"[]", tmp_path, None) == [("no-dialogues", "warning")]
    many = json.dumps(list(range(1001))).encode()
    assert found(many, tmp_path, None)[-1] == ("too-many-problems", "error")
    assert found(changed(good, "/+", good[0]), tmp_path, examples) == [("dialog-id-repeated", "error")]


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
    told_elsewhere |= {"dialog-id-repeated", "official-crash", "too-many-problems"}
    assert set(checker.RULES) == set(BROKEN) | told_elsewhere


def test_a_turn_without_generated_fields_is_refused_where_the_data_is_known(
    good: list[Any], examples: list[Example], tmp_path: Path
) -> None:
    data = changed(good, "/0/content/0", {"用户": "青松套餐一个月要交多少"})
    assert found(data, tmp_path, examples) == [("turn-missing", "error")]
    assert found(data, tmp_path, None) == [("turn-missing", "warning")]
    assert found(data, tmp_path, examples, "official") == []


@pytest.mark.parametrize("rule", ["generated-missing", "generated-type", "content-type", "item-not-object"])
def test_the_official_check_names_the_crash(
    rule: str, good: list[Any], examples: list[Example], tmp_path: Path
) -> None:
    data = changed(good, *BROKEN[rule])
    for known in (examples, None):
        assert found(data, tmp_path, known, "official") == [("official-crash", "error")]


def test_rows_of_one_id_find_their_dialogues_in_order(examples: list[Example]) -> None:
    row = dict(examples[0].source)
    twice = checker.merged(examples, [{**row, "content": [{**turn, **FILLED} for turn in row["content"]]}] * 2)
    assert [len(one["content"]) for one in twice] == [4, 4, 3, 2, 3]
    assert twice[1]["content"][0]["客服-生成"] == "好"  # stays as it is: the data has no second dialogue of the id


def test_rows_that_cannot_be_merged_are_an_official_crash(examples: list[Example]) -> None:
    with pytest.raises(OfficialError, match="TypeError"):
        checker.merged(examples, 3)
