from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.challenges.proactive.live.test_goals import graph

from duologue.challenges.proactive.live.pairs import pair_problems, pair_scenes, written
from duologue.challenges.proactive.live.partner import BUILT_IN
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.errors import FormatError
from duologue.core.optional_protocols import Paired
from duologue.core.records import Turn

if TYPE_CHECKING:
    from pathlib import Path


def said(*texts: str) -> list[Turn]:
    return [Turn(speaker=("system", "user")[at % 2], text=text) for at, text in enumerate(texts)]


def test_scenes_come_from_goals_and_from_a_graph_alike(tmp_path: Path) -> None:
    path = tmp_path / "graph.jsonl"
    path.write_text("".join(json.dumps([f.subject, f.relation, f.object]) + "\n" for f in graph()), encoding="utf-8")
    drawn = pair_scenes(path, 6, seed=2)
    goals = tmp_path / "goals.jsonl"
    rows = [
        {
            "goal": [["START", *one.goal.topics], *([f.subject, f.relation, f.object] for f in one.goal.relations)],
            "knowledge": [[f.subject, f.relation, f.object] for f in one.knowledge],
            "history": [],
        }
        for one in drawn
        if one.goal is not None
    ]
    goals.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    again = pair_scenes(goals, 4, seed=2)
    assert len(again) == 4
    assert all(any(one.knowledge == other.knowledge for other in drawn) for one in again)


def test_a_damaged_file_of_goals_is_refused_as_such(tmp_path: Path) -> None:
    path = tmp_path / "goals.jsonl"
    path.write_text('{"goal": [["START", "a"]], "knowledge": [], "history": []}\n', encoding="utf-8")
    with pytest.raises(FormatError, match="goal"):
        pair_scenes(path, 1, seed=1)


def test_what_people_type_is_segmented_with_the_names_of_the_knowledge_whole() -> None:
    dialogue = written(BUILT_IN, said("看过灯塔下的信吗？", "没有"))
    assert "灯塔 下 的 信" in dialogue.turns[0].text
    assert dialogue.turns[0].meta["typed"] == "看过灯塔下的信吗？"
    assert dialogue.goal == BUILT_IN.goal


@pytest.mark.parametrize(
    ("texts", "rules"),
    [
        (("你好", "你好"), ["topic-unmentioned"]),
        (("沈一帆你知道吗", "知道", "他导演了灯塔下的信", "哦"), ["topics-order"]),
        (("看过灯塔下的信吗", "没有", "导演是沈一帆", "哦"), ["facts-few"]),
        (("看过灯塔下的信吗？口碑不错，是剧情片", "没有", "导演是沈一帆，双鱼座", "哦"), []),
        (("你好", "看过灯塔下的信吗，沈一帆的"), ["topic-unmentioned"]),
    ],
)
def test_the_rules_of_the_challenge_judge_who_leads(texts: tuple[str, ...], rules: list[str]) -> None:
    assert [one.rule for one in pair_problems(written(BUILT_IN, said(*texts)))] == rules


def test_a_dialogue_of_two_people_is_read_again_as_a_session(tmp_path: Path) -> None:
    task = ProactiveTask()
    assert isinstance(task, Paired)
    dialogue = task.pair_dialogue(BUILT_IN, said("看过灯塔下的信吗？", "没有", "导演是沈一帆", "哦"))
    path = tmp_path / "sessions.jsonl"
    task.write_dialogues([dialogue], path)
    examples = list(task.load(path))
    assert [len(one.sample.history) for one in examples] == [0, 2]
    assert examples[1].references[0].text == dialogue.turns[2].text
    assert examples[0].sample.goal == BUILT_IN.goal
    assert examples[0].sample.knowledge == BUILT_IN.knowledge
    assert task.pair_card(BUILT_IN, "en", "system")[0].startswith("goal: START ->")
    assert task.pair_card(BUILT_IN, "en", "user") == []
    assert task.pair_how("user", "en") == ""
