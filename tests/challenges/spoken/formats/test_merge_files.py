from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.spoken.task import SpokenTask
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

DIALOGUE = [{"name": "园", "messages": [{"message": "几级？"}, {"message": "七级。"}]}]
SAMPLES = {"1": [{"message": "几级？"}]}
GOLD = {"1": {"message": "八级。"}}


def put(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


def test_dialogues_of_several_files_keep_apart_by_the_names_of_their_files(tmp_path: Path) -> None:
    task = SpokenTask()
    paths = [put(tmp_path / name, DIALOGUE) for name in ("a.json", "b.json")]
    made = task.load_training(paths)
    assert [one.sample.id for one in made] == ["a.json:0#1", "b.json:0#1"]
    assert [one.sample.dialogue_id for one in made] == ["a.json:0", "b.json:0"]
    assert all(one.references[0].text == "七级。" for one in made)


def test_files_of_one_name_keep_apart_too(tmp_path: Path) -> None:
    paths = [put(tmp_path / folder / "a.json", DIALOGUE) for folder in "xy"]
    assert [one.sample.id for one in SpokenTask().load_training(paths)] == ["a.json(1):0#1", "a.json(2):0#1"]


def test_samples_meet_their_gold_beside_dialogues(tmp_path: Path) -> None:
    paths = [
        put(tmp_path / name, content)
        for name, content in (("gold.json", GOLD), ("valid.json", DIALOGUE), ("test.json", SAMPLES))
    ]
    made = SpokenTask().load_training(paths)
    assert [one.sample.id for one in made] == ["valid.json:0#1", "1"]
    assert made[1].sample.history[0].text == "几级？"
    assert made[1].references[0].text == "八级。"


def test_gold_that_stands_twice_is_refused(tmp_path: Path) -> None:
    paths = [put(tmp_path / name, GOLD) for name in ("a.json", "b.json")]
    with pytest.raises(FormatError, match="'1' has a reply in an earlier file"):
        SpokenTask().load_training(paths)
