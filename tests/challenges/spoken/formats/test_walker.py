from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.spoken.task import SpokenTask
from duologue.core.errors import FormatError
from duologue.core.optional_protocols import FactChecking, Inspectable

if TYPE_CHECKING:
    from pathlib import Path

TALK = """dialogue: 0 (星门旅人（2014年游戏）)
user: 星门旅人里的守门呃人有多少血呀
system: 守门人的生命值是4200。
    守门人 | 生命值 | 4200
    守门人 | 等级 | 50
user: 他还叫老赵吧？
    守门人 | 别名 | 老赵 赵 门神 (not in the graph)
system: 对对的。。

"""


def shown(path: Path, world: Path | None = None) -> str:
    task, pieces = SpokenTask(), list[str]()
    (task if world is None else task.with_world(task.world(world))).dump(path, pieces.append)
    return "".join(pieces)


def test_dialogues_are_shown_with_triples_and_what_the_graph_lacks_is_marked(golden: Path) -> None:
    assert isinstance(SpokenTask(), Inspectable)
    assert isinstance(SpokenTask(), FactChecking)
    assert shown(golden / "small-valid.json", golden / "small-kg.json").startswith(TALK)
    assert shown(golden / "small-valid.json").startswith(TALK.replace(" (not in the graph)", ""))


def test_samples_gold_and_graphs_are_shown_too(golden: Path, tmp_path: Path) -> None:
    (tmp_path / "test.json").write_text(json.dumps({"7": [{"message": "几级"}]}), encoding="utf-8")
    (tmp_path / "gold.json").write_text(json.dumps({"7": {"message": "八级"}}), encoding="utf-8")
    assert shown(tmp_path / "test.json") == "sample: 7\nuser: 几级\n\n"
    assert shown(tmp_path / "gold.json") == "reply: 7\nsystem: 八级\n\n"
    assert shown(golden / "small-kg.json").startswith("守门人\n    生命值: 4200\n    等级: 50\n\n青石岛\n")


def test_statistics_count_rows_turns_and_triples(golden: Path) -> None:
    task = SpokenTask()
    found = task.with_world(task.world(golden / "small-kg.json")).statistics(golden / "small-valid.json")
    assert (found["form"], found["rows"], found["turns"], found["triples"]) == (["dialogues"], 2, 6, 5)
    assert (found["turns_with_triples"], found["entities"], found["attributes"]) == (3, 2, 4)
    assert (found["different_triples_in_graph"], found["share_in_graph"]) == (4, 0.8)
    text = task.statistics_text(golden / "small-kg.json")
    assert "entities: 2\ntriples: 5\ntriples_per_entity: 2.50\n" in text
    assert "commonest_attributes: 周边景点 (2), Information (1), " in text


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[1]", encoding="utf-8")
    with pytest.raises(FormatError, match="expected a dialogue"):
        SpokenTask().statistics(tmp_path / "x.json")


@pytest.mark.real_data(twin="test_statistics_count_rows_turns_and_triples")
def test_the_statistics_of_real_files_are_those_measured_for_the_specification(real_data: Path) -> None:
    stored = json.loads((real_data / "spoken" / "dataset_statistics.json").read_bytes())["kdconv_travel_dev"]
    found = SpokenTask().statistics(real_data / "spoken" / "kdconv_travel_dev.json.gz")
    assert (found["rows"], found["turns"], found["turns_with_triples"], found["triples"]) == (
        stored["dialogs"],
        stored["turns"],
        stored["turns_with_attrs"],
        stored["triples"],
    )
    assert (found["different_triples"], found["entities"], found["attributes"]) == (
        stored["distinct_triples"],
        stored["distinct_entities"],
        stored["distinct_attrnames"],
    )
