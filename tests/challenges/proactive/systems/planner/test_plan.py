from __future__ import annotations

import pytest

from duologue.challenges.proactive.systems.planner.plan import PlanDeadlines, violations
from duologue.challenges.proactive.systems.planner.slots import Filler, Slotter
from duologue.challenges.proactive.systems.planner.state import state_of
from duologue.core.records import Fact, Goal, Sample, Turn

FACTS = (("红海", "类型", "动作"), ("林小", "身高", "170cm"), ("林小", "星座", "双鱼座"))


def sample(*history: str) -> Sample:
    turns = tuple(Turn(speaker=("system", "user")[at % 2], text=text) for at, text in enumerate(history))
    knowledge = tuple(Fact(subject=s, relation=r, object=o) for s, r, o in FACTS)
    return Sample(id="s#0", dialogue_id="s", goal=Goal(topics=("红海", "林小")), knowledge=knowledge, history=turns)


def violation_scores(reply: str, *history: str, deadlines: PlanDeadlines | None = None) -> int:
    state = state_of(sample(*history))
    filling = Filler(state.values, state.said)(Slotter(state.values)(reply.split()))[0]
    return violations(state, filling, deadlines or PlanDeadlines())


TALK = ("你 好 。", "好 。", "看 过 红海 吗 ？", "没有 。", "动作 片 。", "哦 。", "林小 演 的 。", "嗯 。")


@pytest.mark.parametrize(
    ("reply", "history", "expected"),
    [
        pytest.param("红海 不错 。", (), 0, id="nothing is wrong with naming A first"),
        pytest.param("林小 不错 。", (), 4, id="B before A"),
        pytest.param("林小 演 了 红海 。", (), 0, id="both at once"),
        pytest.param("你 好 。", ("你 好 。", "好 。"), 8, id="an own utterance again"),
        pytest.param("好 。", ("你 好 。", "好 。"), 0, id="the user's words are no repetition"),
        pytest.param("今天 好 。", TALK[:2] * 2, 2, id="A is late"),
        pytest.param("红海 不错 。", TALK[:2] * 2, 0, id="A in time"),
        pytest.param("170cm 高 。", (*TALK[:6], "对 。", "嗯 。"), 2, id="B is late"),
        pytest.param("随便 。", TALK[:6], 1, id="a fact is late"),
        pytest.param("她 170cm 。", TALK[:6], 0, id="a new fact"),
        pytest.param("动作 片 嘛 。", TALK[:6], 1, id="an old fact is no new one"),
    ],
)
def test_each_rule_counts_what_it_weighs(reply: str, history: tuple[str, ...], expected: int) -> None:
    assert violation_scores(reply, *history) == expected


def test_deadlines_can_be_moved() -> None:
    assert violation_scores("今天 好 。", deadlines=PlanDeadlines(first=0)) == 2
