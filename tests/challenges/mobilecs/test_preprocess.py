from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.mobilecs.preprocess import process, sort_dialogues

if TYPE_CHECKING:
    from pathlib import Path


def sorted_values(entries: dict[str, Any]) -> dict[str, Any]:
    """Return entries with their values as sorted lists; the official order is chance."""
    return {
        name: entry
        if isinstance(entry, str)
        else {slot: value if slot == "type" else sorted(value.split(",")) for slot, value in entry.items()}
        for name, entry in entries.items()
    }


def check(rows: list[Any], expected: dict[str, Any]) -> None:
    before = copy.deepcopy(rows)
    found = {name: [row["id"] for row in bucket] for name, bucket in sort_dialogues(rows)._asdict().items()}
    assert found == expected["buckets"]
    made = [{**row, "KB": sorted_values(row["KB"]), "goal": sorted_values(row["goal"])} for row in process(rows)]
    # As text: the order of keys is data.
    assert json.dumps(made, ensure_ascii=False) == json.dumps(expected["processed"], ensure_ascii=False)
    assert rows == before


def test_crafted_dialogues_come_out_as_from_the_official_tools(golden: Path) -> None:
    case = json.loads((golden / "official" / "preprocessing.json").read_bytes())
    check(case["input"], case)


def test_the_public_dialogues_come_out_as_from_the_official_tools(real: Path) -> None:
    final = json.loads((real / "examples" / "example_final.json").read_bytes())
    first = json.loads((real / "examples" / "example_first_version.json").read_bytes())
    rows = [*final, *({"id": f"v1-{number:02d}", "content": turns} for number, turns in enumerate(first))]
    check(rows, json.loads((real / "golden" / "preprocess_cases.json").read_bytes())["public_examples"])


TURN = {
    "[SPEAKER 1]": "您好",
    "[SPEAKER 2]": "你好",
    "客服意图": "问候",
    "用户意图": "问候",
    "info": {"ents": [], "triples": []},
}


@pytest.mark.parametrize(
    ("content", "bucket"),
    [
        ([TURN], "service_first"),
        ([{**TURN, "意图混乱": ""}], "others"),
        ([{**TURN, "客服意图": "通知,意图混乱"}], "others"),
        ([{key: value for key, value in TURN.items() if key != "用户意图"}], "others"),
        ([TURN, {"[SPEAKER 3]": "x", **TURN}], "others"),
        ([], "others"),
    ],
)
def test_a_dialogue_is_sorted_by_who_opens_its_turns(content: list[Any], bucket: str) -> None:
    (row,) = getattr(sort_dialogues([{"id": "d", "content": content}]), bucket)
    assert row["id"] == "d"


def test_a_dialogue_of_one_turn_that_the_staff_opens_has_no_turn_left() -> None:
    assert process([{"id": "d", "content": [TURN]}]) == [{"id": "d", "KB": {}, "goal": {}, "content": []}]


def test_our_own_dialogues_are_as_they_were(golden: Path, raw_rows: list[Any], paired_rows: list[Any]) -> None:
    assert process(raw_rows) == paired_rows
