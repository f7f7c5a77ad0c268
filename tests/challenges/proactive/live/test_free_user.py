from __future__ import annotations

from duologue.challenges.proactive.live.free_user import counted, found_leaks, problems
from duologue.core.records import Dialogue, Fact, Goal, Turn
from duologue.knowledge.leaks import Leak

GOAL = Goal(topics=("甲片", "乙片"))
FACTS = (
    Fact(subject="甲片", relation="主演", object="王 小明"),
    Fact(subject="甲片", relation="评分", object="7"),
    Fact(subject="乙片", relation="领域", object="电影"),
)


def chat(*texts: str) -> Dialogue:
    """Return a chat that the agent begins."""
    turns = tuple(Turn(speaker=("system", "user")[at % 2], text=text) for at, text in enumerate(texts))
    return Dialogue(id="a", turns=turns, goal=GOAL, knowledge=FACTS)


def test_topic_b_and_objects_are_leaks_where_the_user_is_the_first_to_say_them() -> None:
    dialogue = chat("你好", "是 王小明 演 的 吧", "对", "还有 乙 片", "乙片 不错", "7 分")
    assert found_leaks(dialogue) == [Leak(1, ("王小明",)), Leak(3, ("乙片",))]
    assert counted(dialogue) == {"user utterances": 3, "leaks": 2, "goal first by user": True}
    assert [one.place for one in problems(dialogue)] == [
        "dialogue 'a', turn 1 (from 0)",
        "dialogue 'a', turn 3 (from 0)",
    ]


def test_what_the_agent_said_first_is_none() -> None:
    dialogue = chat("甲片 的 王 小明 也 演 乙片", "王小明 和 乙片")
    assert counted(dialogue) == {"user utterances": 1, "leaks": 0, "goal first by user": False}
