from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.spoken.noise.noisy_files import distort
from duologue.challenges.spoken.noise.simulator import NoiseSimulator
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.disk import read_bytes
from duologue.core.errors import FormatError, UsageError
from duologue.core.optional_protocols import NoiseModel

if TYPE_CHECKING:
    from pathlib import Path

ATTR = {"attrname": "导演", "name": "雨夜花", "attrvalue": "林生"}
DIALOGUES: list[dict[str, Any]] = [
    {
        "messages": [
            {"message": "你看过《雨夜花》吗？"},
            {"message": "看过，导演是林生。", "attrs": [ATTR]},
            {"message": "他还有别的作品吗？", "extra": 1},
            {"message": "这个我就不知道了。"},
        ],
        "name": "雨夜花",
    }
] * 6
SAMPLES = {
    str(at): [{"message": "你看过《雨夜花》吗？"}, {"message": "看过。"}, {"message": "谁导演的？"}] for at in range(6)
}


def written(folder: Path, value: object, name: str = "in.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def test_dialogues_keep_all_but_their_noisy_messages(tmp_path: Path) -> None:
    out = tmp_path / "out.json.gz"
    count = distort(written(tmp_path, DIALOGUES), out, NoiseSimulator("validation", 1))
    found = json.loads(read_bytes(out))
    assert [list(one) for one in found] == [["messages", "name"]] * 6
    pairs = [
        (one, other)
        for before, after in zip(DIALOGUES, found, strict=True)
        for one, other in zip(before["messages"], after["messages"], strict=True)
    ]
    assert count == sum(one != other for one, other in pairs) > 10
    assert all({**one, "message": ""} == {**other, "message": ""} for one, other in pairs)
    assert all(one == other for one, other in pairs if "attrs" in one)


def test_samples_are_noisy_in_the_users_turns(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    distort(written(tmp_path, SAMPLES), out, NoiseSimulator("test", 1))
    found = json.loads(out.read_text(encoding="utf-8"))
    assert list(found) == list(SAMPLES)
    assert {turns[1]["message"] for turns in found.values()} == {"看过。"}
    assert len({turns[0]["message"] for turns in found.values()}) > 2


def test_samples_of_the_validation_regime_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="take the regime 'test'"):
        distort(written(tmp_path, SAMPLES), tmp_path / "out.json", NoiseSimulator("validation", 1))
    assert not (tmp_path / "out.json").exists()


def test_a_graph_or_a_result_file_is_refused(tmp_path: Path) -> None:
    for value in ({"雨夜花": [["雨夜花", "导演", "林生"]]}, {"1": {"message": "好"}}):
        with pytest.raises(FormatError, match="expected a list of dialogues"):
            distort(written(tmp_path, value), tmp_path / "out.json", NoiseSimulator("test", 1))


def test_the_task_offers_it(tmp_path: Path) -> None:
    task = SpokenTask()
    assert isinstance(task, NoiseModel)
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    for out in (first, second):
        task.write_noisy(
            written(tmp_path, DIALOGUES), out, regime="test", seed=4, strengths={"organiser": 1, "fillers": 1}
        )
    assert first.read_bytes() == second.read_bytes()
    examples = list(task.load(tmp_path / "in.json"))
    assert [one.references for one in task.noisy_examples(examples, seed=1, strengths={"organiser": 1})] == [
        one.references for one in examples
    ]
    assert task.noisy_examples(examples, seed=1, strengths={"organiser": 0, "cuts": 0}) == examples
