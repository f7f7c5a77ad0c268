from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from duologue.arena.campaigns.material import goal_lines, material_of_files, material_of_scenes
from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.core.records import Fact, Goal, Item
from duologue.judges.results import JudgedFiles
from duologue.ratings.protocol import find_protocol

if TYPE_CHECKING:
    from pathlib import Path

LINES = ["U: my parcel is late\nS: Sorry! Which number?\n", "U: thanks for the help\nS: You are welcome.\n"]


@pytest.fixture
def spoken_files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A truth file of the spoken task with two samples, and result files of two systems."""
    fact = {"name": "云岭湖", "attrname": "面积", "attrvalue": "12 平方公里"}
    truth = {
        f"s{number}": [{"message": f"云岭湖有多大？{number}"}, {"message": "12 平方公里。", "attrs": [fact]}]
        for number in range(4)
    }
    data = {name: turns[:1] for name, turns in truth.items()}
    paths = tuple(tmp_path / name for name in ("data.json", "one.json", "two.json"))
    paths[0].write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    for path, reply in zip(paths[1:], ("面积是 12 平方公里。", "不知道。"), strict=True):
        rows = {name: {"message": reply, "attrs": [fact]} for name in data}
        path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return paths[0], paths[1], paths[2]


def test_items_come_from_result_files_with_context_and_facts(spoken_files: tuple[Path, Path, Path]) -> None:
    data, one, two = spoken_files
    files = JudgedFiles((one, two), ("one", "two"), data=data)
    task = load_task("spoken")
    found = material_of_files(task, files, find_protocol("spoken"), "reply", n=3, seed=1)
    assert found.systems == ("one", "two")
    assert len(found.items) == 3
    item = found.items[0]
    assert item.context.turns[0][0] == "user"
    assert item.context.turns[0][1].startswith("云岭湖有多大")
    answer = item.answers["one"]
    assert answer is not None
    assert answer.turns == (("system", "面积是 12 平方公里。"),)
    assert answer.facts == (("云岭湖", "面积", "12 平方公里"),)
    assert found == material_of_files(task, files, find_protocol("spoken"), "reply", n=3, seed=1)


def test_the_human_reply_is_a_hidden_system(tmp_path: Path) -> None:
    gold, one = tmp_path / "gold.txt", tmp_path / "one.txt"
    gold.write_text("\n".join(LINES), encoding="utf-8")
    one.write_text("U: my parcel is late\nS_HYP: ok\n\nU: thanks for the help\nS_HYP: fine\n", encoding="utf-8")
    task, rating = load_task("conversation"), find_protocol("conversation")
    files = JudgedFiles((one,), ("one",), (gold,))
    found = material_of_files(task, files, rating, "reply", n=5, seed=1)
    assert found.systems == ("one", "reference")
    said = {answer.turns[0][1] for item in found.items if (answer := item.answers["reference"]) is not None}
    assert said == {"Sorry! Which number?", "You are welcome."}
    with pytest.raises(UsageError, match="--gold"):
        material_of_files(task, JudgedFiles((one,), ("one",), data=gold), rating, "reply", n=5, seed=1)
    with pytest.raises(UsageError, match="hidden human reference"):
        material_of_files(task, JudgedFiles((one,), ("reference",), (gold,)), rating, "reply", n=5, seed=1)


def test_scenes_wait_for_a_talk_with_each_system() -> None:
    found = material_of_scenes(["1", "2"], ["a", "b"])
    assert [dict(item.answers) for item in found.items] == [{"a": None, "b": None}] * 2
    with pytest.raises(UsageError, match="needs systems and scenes"):
        material_of_scenes([], ["a"])


def test_goals_are_told_in_lines() -> None:
    assert goal_lines(None) == ()
    goal = Goal(
        topics=("START", "lake"),
        relations=(Fact(subject="lake", relation="area", object="12"),),
        items=(Item(kind="plan", known={"name": "Star"}, asked=("price",)),),
        consultations=("network",),
    )
    assert goal_lines(goal) == ("START → lake", "lake | area | 12", "plan; name = Star; price ?", "network")
