from __future__ import annotations

from duologue.challenges.mobilecs.knowledge.goal import goal_of
from duologue.challenges.mobilecs.prompts.user import CallerPrompt
from duologue.challenges.mobilecs.schema.task_infos import DIALOGUE
from duologue.core.records import Sample

GOAL = {
    "ent-1": {"type": "流量包", "name": "星夜流量包", "业务费用": "十块钱", "流量总量": "?", "用户意图": "询问"},
    "ent-2": {"type": "主套餐", "业务规则": "?", "用户意图": "询问"},
    "NA": {"流量余额": "?", "意图": "求助-查询"},
    "咨询": "询问-套餐",
}


def test_the_card_says_what_is_known_and_what_is_asked() -> None:
    sample = Sample(id="s", dialogue_id="d", goal=goal_of(GOAL))
    assert CallerPrompt(DIALOGUE).goal(sample).splitlines() == [
        "业务“星夜流量包”（流量包）；你知道：业务费用 十块钱；你想知道：流量总量",
        "业务“主套餐”；你想知道：业务规则",
        "你自己的账户；你想知道：流量余额",
        "你想了解有哪些这类业务：套餐",
    ]
    assert "you want to know: 流量余额" in CallerPrompt(DIALOGUE, "en").goal(sample)
    assert CallerPrompt(DIALOGUE).goal(Sample(id="s", dialogue_id="d")) == "（还没有人说话，由你开始）"


def test_the_last_words_have_the_intent_that_ends_a_call() -> None:
    answer = CallerPrompt(DIALOGUE).read("好的，再见。", Sample(id="s", dialogue_id="d")).answer
    assert answer is not None
    assert answer.annotation is not None
    assert [act.name for act in answer.annotation.acts] == []
    answer = CallerPrompt(DIALOGUE).read("再见。", Sample(id="s", dialogue_id="d")).answer
    assert answer is not None
    assert answer.annotation is not None
    assert [act.name for act in answer.annotation.acts] == ["再见"]
