from __future__ import annotations

from duologue.core.records import Fact, Goal, Sample, Turn
from duologue.exports.prompts import prompt_of


def test_goal_facts_and_history_are_told_in_the_language_of_the_task() -> None:
    sample = Sample(
        id="1",
        dialogue_id="1",
        goal=Goal(topics=("甲", "乙"), relations=(Fact(subject="甲", relation="类型", object="剧情"),)),
        knowledge=(Fact(subject="乙", relation="价", object=("一", "二")), Fact(subject="乙", relation="n", object=3)),
        history=(Turn(speaker="user", text="你好"), Turn(speaker="api", text="x")),
    )
    facts = ["知识：乙 | 价 | 一, 二", "知识：乙 | n | 3"]
    lines = ["目标：甲 → 乙", "目标：甲 | 类型 | 剧情", *facts, "用户：你好", "数据库：x", "系统："]
    assert prompt_of(sample, "zh") == "\n".join(lines)
    assert prompt_of(sample, "en").startswith("Goal: 甲 → 乙\n")
