from __future__ import annotations

import json
from pathlib import Path

import msgspec

from duologue.challenges.mobilecs.live.goal_card import GoalCard
from duologue.challenges.mobilecs.live.pairs import pair_problems, pair_scenes
from duologue.challenges.mobilecs.task import DialogueTask
from duologue.core.optional_protocols import Paired
from duologue.core.records import Dialogue, Turn

TURNS = Path(__file__).resolve().parents[3] / "golden" / "mobilecs" / "small-dialogue.json"


def scene() -> Dialogue:
    (found,) = pair_scenes(TURNS, 5, 1)
    return msgspec.convert(msgspec.to_builtins(found), Dialogue)  # as the database keeps it


def said(*texts: str) -> list[Turn]:
    return [Turn(speaker=("user", "system")[at % 2], text=text) for at, text in enumerate(texts)]


def test_the_customer_has_the_goal_and_the_staff_the_knowledge_base() -> None:
    task = DialogueTask()
    assert isinstance(task, Paired)
    (row,) = json.loads(TURNS.read_text(encoding="utf-8"))
    card = task.pair_card(scene(), "zh", "user")
    assert card == GoalCard(row["goal"], row["KB"], "zh").lines()
    assert any("青松套餐" in line for line in card)
    assert task.pair_card(scene(), "zh", "system") == []
    assert {fact.subject for fact in scene().knowledge} >= {"ent-1", "ent-2"}
    for lang in ("en", "zh"):
        assert task.pair_how("user", lang) != task.pair_how("system", lang)


def test_a_call_in_which_nothing_is_answered_is_wrong_and_one_in_part_is_warned_of() -> None:
    task = DialogueTask()
    nothing = task.pair_dialogue(scene(), said("你好", "您好", "套餐多少钱", "不知道"))
    found = list(pair_problems(nothing))
    assert {one.rule for one in found} == {"request-unanswered"}
    assert {one.severity for one in found} == {"error"}
    partly = task.pair_dialogue(scene(), said("你好", "您好", "套餐多少钱", "三十八元，流量五个g"))
    left = task.pair_problems(partly)
    assert 0 < len(left) < len(found)
    assert {one.severity for one in left} == {"warning"}
    whole = task.pair_dialogue(
        scene(), said("青松套餐多少钱", "三十八元", "流量呢", "五个g", "夜间包呢", "十块", "话费呢", "四十二块", "好")
    )
    assert task.pair_problems(whole) == []
    knowing = task.pair_dialogue(scene(), said("我的话费是四十二块吧", "四十二块，套餐三十八元，五个g，夜间包十块"))
    assert [one.rule for one in task.pair_problems(knowing)] != []


def test_a_call_of_two_people_is_read_again_as_track_2_data(tmp_path: Path) -> None:
    task, path = DialogueTask(), tmp_path / "calls.json"
    call = task.pair_dialogue(scene(), said("青松套餐多少钱", "三十八元", "流量呢", "五个g"))
    task.write_dialogues([call], path)
    examples = list(task.load(path))
    assert [one.references[0].text for one in examples] == ["三十八元", "五个g"]
    assert examples[0].user_goal == call.goal
    assert set(examples[0].sample.knowledge) == set(call.knowledge)
