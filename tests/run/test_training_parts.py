from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.run.contamination import HELD_OUT, TRAIN, UNLABELLED
from duologue.run.training_parts import read_training_parts

if TYPE_CHECKING:
    from pathlib import Path

TASK = load_task("mobilecs/extraction")


def call(name: str, said: str) -> dict[str, Any]:
    turn = {
        "[SPEAKER 1]": said,
        "[SPEAKER 2]": "嗯",
        "客服意图": "通知",
        "用户意图": "其他",
        "info": {"ents": [], "triples": []},
    }
    return {"id": name, "content": [turn]}


def written(path: Path, *calls: dict[str, Any]) -> Path:
    path.write_text(json.dumps(calls, ensure_ascii=False), "utf-8")
    return path


def test_each_part_has_ids_of_its_own_and_its_files_are_named(tmp_path: Path) -> None:
    train = written(tmp_path / "train.json", call("a" * 32, "您好"))
    held_out = written(tmp_path / "dev.json", call("b" * 32, "请讲"))
    bare = written(tmp_path / "bare.json", call("a" * 32, "稍等"), call("c" * 32, "好的"))
    parts = read_training_parts(TASK, None, data=[train], held_out=[held_out], unlabelled=[bare])
    assert [one.sample.id for one in parts.examples or ()] == ["a" * 32]
    assert [one.sample.id for one in parts.held_out] == ["b" * 32]
    assert [one.sample.id for one in parts.unlabelled] == ["unlabelled:" + "a" * 32, "unlabelled:" + "c" * 32]
    assert [(one.name, one.part) for one in parts.files] == [
        ("train.json", TRAIN),
        ("dev.json", HELD_OUT),
        ("bare.json", UNLABELLED),
    ]


def test_without_files_the_simulator_makes_them_and_other_parts_need_training_files(tmp_path: Path) -> None:
    assert read_training_parts(TASK, None, data=[]) == (None, [], [], [])
    path = written(tmp_path / "bare.json", call("a" * 32, "稍等"))
    with pytest.raises(UsageError, match="--unlabelled needs training files beside it"):
        read_training_parts(TASK, None, data=[], unlabelled=[path])
    with pytest.raises(UsageError, match="--held-out needs training files beside it"):
        read_training_parts(TASK, None, data=[], held_out=[path])
