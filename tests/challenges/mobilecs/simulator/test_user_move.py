from __future__ import annotations

from duologue.challenges.mobilecs.simulator.requests import Request
from duologue.challenges.mobilecs.simulator.user_move import UserMove, intent_of


def test_intents_have_their_arguments_and_no_label_comes_twice() -> None:
    fee, kind = Request("ent-1", "业务费用", ("询问",), ("五元",)), Request("咨询", "套餐", ("询问",), ())
    moves = [UserMove("问候", "greet"), UserMove("问候", "greet"), UserMove("询问", "question", asked=(fee, kind))]
    assert intent_of(moves) == "问候,询问(ent-1-业务费用)(套餐)"
    assert UserMove("取消", "question", asked=(Request("ent-1", "", ("取消",), ()),)).intent == "取消"
