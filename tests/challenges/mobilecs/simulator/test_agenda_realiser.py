from __future__ import annotations

from typing import Any

import pytest

from duologue.challenges.mobilecs.schema.intents import USER_LABELS
from duologue.challenges.mobilecs.simulator.agenda import Agenda
from duologue.challenges.mobilecs.simulator.agenda_realiser import AgendaRealiser
from duologue.challenges.mobilecs.simulator.user_move import UserMove
from duologue.core.rng import Rng

BASE = {"ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元"}, "NA": {"账户余额": "三十元", "欠费": "五毛"}}
GOAL: dict[str, Any] = {
    "ent-1": {"name": "彩铃", "业务费用": "?", "办理渠道": "?", "用户意图": "询问"},
    "NA": {"账户余额": "?", "欠费": "?", "意图": "询问"},
    "咨询": "询问-业务",
}


def worded(move: UserMove, heard: str = "", *, draws: int = 30) -> list[str]:
    realiser = AgendaRealiser()
    found = []
    for seed in range(draws):
        realiser.reset(Agenda(GOAL, BASE), Rng(seed))
        found.append(realiser.words([move], heard))
    return found


def test_every_request_is_worded_in_several_ways() -> None:
    for request in Agenda(GOAL, BASE).open:
        found = worded(UserMove("询问", "question", asked=(request,), is_again=True))
        assert all(found)
        assert len(set(found)) > 20


@pytest.mark.parametrize(
    ("heard", "cue"),
    [
        ("请问您贵姓", "我"),
        ("您现在在哪里", "在"),
        ("手机重启过吗", "重启"),
        ("您说的是哪一个", "个"),
        ("请问方便吗", "方便"),
    ],
)
def test_questions_are_answered_by_what_they_ask_for(heard: str, cue: str) -> None:
    assert sum(cue in one for one in worded(UserMove("提供信息", "answer"), heard)) >= 5


def test_a_service_is_named_where_it_may_be_meant() -> None:
    found = worded(UserMove("提供信息", "answer", owner="ent-1"), "嗯")
    assert 10 < sum("彩铃" in one for one in found) < 28


def test_equal_chance_gives_equal_words_and_most_goodbyes_are_not_said() -> None:
    moves = [UserMove("客套", "thanks"), UserMove("再见", "bye")]
    assert worded(moves[0]) == worded(moves[0])
    realiser, said = AgendaRealiser(), []
    for seed in range(60):
        realiser.reset(Agenda(GOAL, BASE), Rng(seed))
        said.append(realiser.words(moves, ""))
    assert 0 < sum("拜拜" in one or "再见" in one for one in said) < 20
    assert {one.label for one in moves} <= set(USER_LABELS)
