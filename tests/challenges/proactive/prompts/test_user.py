from __future__ import annotations

from duologue.challenges.proactive.prompts.user import ListenerPrompt
from duologue.core.plugins import load_task
from duologue.core.records import Fact, Goal, Sample, Turn

INFO = load_task("proactive").info


def test_the_chat_is_told_in_plain_chinese_and_answers_are_cut_into_words() -> None:
    prompt = ListenerPrompt(INFO)
    goal = Goal(topics=("甲片", "乙片"), relations=(Fact(subject="甲片", relation="主演", object="丙"),))
    history = (Turn(speaker="system", text="你 喜欢 电影 吗 ？"),)
    sample = Sample(id="s", dialogue_id="d", history=history, goal=goal, knowledge=goal.relations)
    told = "\n".join(one.content for one in prompt.messages(sample))
    assert "对方: 你喜欢电影吗？" in told
    assert "甲片" not in told
    assert "丙" not in told
    answer = prompt.read('{"say": "喜欢啊，你呢", "hang_up": false}', sample).answer
    assert answer is not None
    assert answer.text is not None
    assert " " in answer.text
    assert answer.text.replace(" ", "") == "喜欢啊，你呢"
