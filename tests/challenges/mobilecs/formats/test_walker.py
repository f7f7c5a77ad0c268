from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.challenges.mobilecs.formats import walker
from duologue.challenges.mobilecs.simulator.catalogue import make_catalogue
from duologue.challenges.mobilecs.task import DialogueTask, ExtractionTask
from duologue.core.annotation import Bilingual
from duologue.core.errors import FormatError
from duologue.core.optional_protocols import Inspectable

if TYPE_CHECKING:
    from pathlib import Path

RAW = """dialogue: 00000000000000000000000000000a01
  0 staff  您好请讲
           intents: 问候 (greet)
    user   [¹青松套餐¹]一个月要交多少
           ¹ 青松套餐: ent-1 is 主套餐 (main plan)
           intents: 求助-查询 (seek help: query): ent-1 业务费用 (fee)
  1 staff  [¹青松套餐¹]每月[²四十六元²]_带[³七个G³]流量
           ¹ 青松套餐: ent-1 is 主套餐 (main plan)
           ² 四十六元: ent-1 has 业务费用 (fee)
           ³ 七个G: ent-1 has 流量总量 (data volume)
           intents: 通知 (inform)
    user   那[¹夜行包¹]呢，[²夜行包²]贵不贵
           ¹ 夜行包: ent-2 is 流量包 (data pack)
           ² 夜行包: ent-2 is 流量包 (data pack)
           intents: 询问 (ask)
"""

TRACK_2 = """dialogue: 00000000000000000000000000000a01
knowledge base:
    entity  slot                        value
    ent-1   name                        青松套餐
            type                        主套餐 (main plan)
            业务费用 (fee)              四十六元
            流量总量 (data volume)      七个G
    ent-2   name                        夜行包
            type                        流量包 (data pack)
            业务费用 (fee)              九块钱
    user    账户余额 (account balance)  二十三块六
goal:
    entity  slot                        asked  said by the user
    ent-1   type                               主套餐 (main plan)
            name                               青松套餐
            业务费用 (fee)              asked
            用户意图 (asked with)              求助-查询 (seek help: query)
    ent-2   type                               流量包 (data pack)
            name                               夜行包
    user    账户余额 (account balance)  asked
            意图 (asked with)                  求助-查询 (seek help: query)
  0 user   [¹青松套餐¹]一个月要交多少
           ¹ 青松套餐: ent-1 is 主套餐 (main plan)
           intents: 求助-查询 (seek help: query): ent-1 业务费用 (fee)
    staff  [¹青松套餐¹]每月[²四十六元²]_带[³七个G³]流量
"""


def shown(path: Path) -> str:
    pieces: list[str] = []
    walker.dump(path, pieces.append)
    assert all(piece.count("\n") == 1 and piece.endswith("\n") for piece in pieces)
    return "".join(pieces)


def saved(rows: Any, path: Path) -> Path:
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_annotated_dialogues_are_shown_with_marks_and_english_names(golden: Path) -> None:
    path = golden / "extraction/contract/raw.json"
    assert shown(path).startswith(RAW)
    for task in (ExtractionTask(), DialogueTask()):
        assert isinstance(task, Inspectable)
        pieces: list[str] = []
        task.dump(path, pieces.append)
        assert "".join(pieces) == shown(path)


def test_track_2_dialogues_are_shown_with_knowledge_base_and_goal(golden: Path) -> None:
    assert shown(golden / "dialogue/contract/dialogues.json").startswith(TRACK_2)


def test_bare_dialogues_are_shown_as_their_words(raw_rows: list[Any], paired_rows: list[Any], tmp_path: Path) -> None:
    bare = [{key: text for key, text in turn.items() if key[0] == "["} for turn in raw_rows[0]["content"][:1]]
    words = "  0 staff  您好请讲\n    user   青松套餐一个月要交多少\n\n"
    assert shown(saved([{"id": "a", "content": bare}], tmp_path / "bare.json")) == f"dialogue: a\n{words}"
    assert shown(saved([bare], tmp_path / "first.json")) == f"dialogue: v1-00\n{words}"
    users = [{"用户": turn["用户"]} for turn in paired_rows[0]["content"][:1]]
    path = saved([{"id": "b", "KB": {}, "content": users}], tmp_path / "test.json")
    assert shown(path) == "dialogue: b\nknowledge base: empty\n  0 user   青松套餐一个月要交多少\n\n"


def test_a_track_2_result_is_shown_with_what_was_understood_and_said(tmp_path: Path) -> None:
    first = {"用户": "多少钱", "用户意图-生成": "询问(套餐-业务费用)", "客服意图-生成": "通知", "客服-生成": "八块"}
    rows = [
        {"id": "c", "KB": {}, "content": [first, {"用户": "哦", "客服-生成": ""}, {"用户": "好", "用户意图-生成": ""}]}
    ]
    path = saved(rows, tmp_path / "result.json")
    assert shown(path).splitlines()[2:] == [
        "  0 user   多少钱",
        "    system 八块",
        "           understood: 询问 (ask): 套餐 业务费用 (fee)",
        "           chosen: 通知 (inform)",
        "  1 user   哦",
        "    system ",
        "  2 user   好",
        "    system (no reply)",
        "",
    ]
    assert walker.statistics(path)["turns_with_a_generated_reply"] == 2


def test_a_track_1_result_is_shown_by_place_and_odd_records_are_passed_over(tmp_path: Path) -> None:
    entity = {"id": "ent-1", "name": "夜行包", "type": "流量包", "position": [1, 4], "turn_id": 2, "utterance_id": 5}
    triple = {"ent-id": "NA", "prop": "短信", "value": "说送话费", "position": [1], "turn_id": ["?"]}
    rows = [
        {"id": "d", "entities": [entity, {"id": 7}], "triples": [triple]},
        {"id": "e", "entities": [], "triples": 3},
    ]
    path = saved(rows, tmp_path / "result.json")
    assert shown(path) == (
        "result: d\n    turn 2, utterance 5, characters 1-4: 夜行包: ent-1 is 流量包 (data pack)\n"
        "    说送话费: user has 短信 (text message)\n\nresult: e\n    (nothing found)\n\n"
    )
    assert ExtractionTask().statistics_text(path) == (
        "form: track 1 result\ndialogues: 2\nmentions: 1\nvalues: 1\n"
        "types: 流量包 (data pack) 1\nslots: 短信 (text message) 1\n"
    )


def test_words_that_the_conversion_left_on_the_wrong_side_or_moved_are_marked_where_they_stand(tmp_path: Path) -> None:
    info = {
        "ents": [{"name": "夜行包", "id": "ent-1", "type": "流量包", "pos": [[1, 5, 8]]}],
        "triples": [{"ent-id": "ent-1", "ent-name": "夜行包", "prop": "业务费用", "value": "八块", "pos": [1, 0, 2]}],
    }
    turn = {"用户": "夜行包呢", "客服": "是八块", "info": info}
    told = shown(saved([{"id": "f", "KB": {}, "content": [turn]}], tmp_path / "paired.json"))
    assert "  0 user   [¹夜行包¹]呢\n" in told
    assert "    staff  是[¹八块¹]\n" in told


def test_statistics_count_dialogues_of_both_forms(golden: Path, tmp_path: Path) -> None:
    found = walker.statistics(golden / "extraction/contract/raw.json")
    rows = json.loads((golden / "extraction/contract/raw.json").read_bytes())
    infos = [turn["info"] for row in rows for turn in row["content"]]
    assert (found["form"], found["dialogues"], found["turns"]) == (["raw"], len(rows), len(infos))
    assert found["mentions"] == sum(len(entity["pos"]) for info in infos for entity in info["ents"])
    assert found["values"] == sum(len(info["triples"]) for info in infos)
    found = walker.statistics(golden / "dialogue/contract/dialogues.json")
    rows = json.loads((golden / "dialogue/contract/dialogues.json").read_bytes())
    assert (found["form"], found["dialogues"], found["goals"]) == (["track2"], len(rows), len(rows))
    assert found["entities"] == sum(name != "NA" for row in rows for name in row["KB"])
    assert found["goals_with_a_request"] == sum("?" in json.dumps(row["goal"]) for row in rows)
    empty = walker.statistics(saved([], tmp_path / "empty.json"))
    assert (empty["dialogues"], empty["turns_per_dialogue"], empty["types"]) == (0, 0.0, [])


def test_the_commonest_labels_come_first_then_by_name() -> None:
    assert walker.commonest(["询问", "通知", "通知", "抱歉", "name"]) == [
        Bilingual(en="通知 (inform) 2", zh="通知 2"),
        "name 1",
        Bilingual(en="抱歉 (apologise) 1", zh="抱歉 1"),
        Bilingual(en="询问 (ask) 1", zh="询问 1"),
    ]


@pytest.mark.parametrize("rows", [{"a": 1}, [1], [{"id": "a", "content": 3}], [{"id": "a", "KB": 3, "content": []}]])
def test_a_file_of_another_kind_is_refused(rows: Any, tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        shown(saved(rows, tmp_path / "x.json"))


def test_a_catalogue_is_told_from_dialogues_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.json"
    products = [msgspec.structs.asdict(one) for one in make_catalogue(1, 0.4)]
    path.write_text(json.dumps(products), encoding="utf-8")
    with pytest.raises(FormatError, match="is a catalogue of products and has no dialogues") as caught:
        walker.statistics(path)
    assert len(caught.value.problems) == 1
    assert "labelled/" in caught.value.problems[0].advice
