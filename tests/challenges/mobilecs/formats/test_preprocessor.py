from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.mobilecs.formats.preprocessor import process, sort_dialogues

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


@pytest.mark.real_data(twin="test_crafted_dialogues_come_out_as_from_the_official_tools")
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


def called(name: str, value: str, **pos: list[int]) -> dict[str, Any]:
    return {"ent-id": name, "ent-name": "NA", "prop": "业务费用", "value": value, **pos}


def dialogue(*turns: tuple[str, str, list[Any]], keys: tuple[str, ...] = ("[SPEAKER 1]", "[SPEAKER 2]")) -> Any:
    """Return a dialogue that the staff opens, of the texts and triples of its turns."""
    content = [
        {
            keys[0]: staff,
            keys[1]: user,
            "客服意图": "通知",
            "用户意图": "询问",
            "info": {"ents": [], "triples": triples},
        }
        for staff, user, triples in turns
    ]
    return {"id": "d", "content": content}


SAID_BY_BOTH = dialogue(
    ("您好", "你好", []),
    ("这个是三块", "噢，三块", [called("ent-1", "三块", pos=[1, 3, 5])]),
    ("六块的", "六块", [called("ent-1", "六块", pos=[1, 0, 2])]),
)


@pytest.mark.parametrize(
    ("shared", "places"),
    [
        (True, [[[1, 3, 5]], [[1, 3, 5], [2, 0, 2]]]),  # one object in two turns: the second gives its side to both
        (False, [[[2, 3, 5]], [[1, 2, 4], [2, 0, 2]]]),
    ],
)
def test_a_triple_that_both_sides_say_is_one_object_or_has_a_place_in_each(shared: bool, places: Any) -> None:  # noqa: FBT001  # a test's parameter
    (made,) = process([SAID_BY_BOTH], shared=shared)
    assert [[one["pos"] for one in turn["info"]["triples"]] for turn in made["content"]] == places
    assert SAID_BY_BOTH["content"][1]["info"]["triples"][0]["pos"] == [1, 3, 5]


def test_the_first_turn_says_who_is_who_in_all() -> None:
    first = {"[SPEAKER 2]": "喂", "[SPEAKER 1]": "您好", "用户意图": "问候", "客服意图": "问候"}
    second = {"[SPEAKER 1]": "三块吗", "[SPEAKER 2]": "是的", "用户意图": "主动确认", "客服意图": "被动确认"}
    (made,) = process([{"id": "d", "content": [first, {**second, "info": {"ents": [], "triples": []}}]}])
    assert [(turn["用户"], turn["客服"]) for turn in made["content"]] == [("喂", "您好"), ("是的", "三块吗")]
    assert "info" not in made["content"][0]


def test_records_that_lack_a_part_are_stepped_over() -> None:
    lacking = [
        {key: value for key, value in called("ent-1", "三块").items() if key != one}
        for one in ("ent-id", "prop", "value")
    ]
    row = dialogue(("您好", "三块吗", lacking), ("三块", "好", []))
    row["content"][0]["info"]["ents"] = [
        {"name": "三块", "id": "ent-1", "type": "套餐"},
        {"name": "三块", "ent-id": "ent-2", "type": "套餐", "pos": [[], [2, 0, 2], [1, 0, 2]]},
    ]
    del row["content"][1]["info"]
    (made,) = process([row])
    (turn,) = made["content"]
    assert turn["info"]["triples"] == lacking[:2]
    assert turn["info"]["ents"] == [{"name": "三块", "ent-id": "ent-2", "type": "套餐", "pos": [[1, 0, 2]]}]
    assert (made["KB"], made["goal"], turn["用户意图"]) == ({}, {}, "询问")
