from __future__ import annotations

from duologue.challenges.mobilecs.live.free_user import counted, found_leaks, problems
from duologue.core.records import Dialogue, Turn
from duologue.knowledge.leaks import Leak

ROW = {
    "goal": {"ent-1": {"type": "流量包", "name": "星夜包", "业务费用": "?,十块钱", "流量总量": "?"}},
    "KB": {
        "ent-1": {"type": "流量包", "name": "星夜包", "业务费用": "十块钱,十二块钱", "流量总量": "五个G"},
        "NA": {"流量余额": "三百兆", "持有套餐": "短"},
    },
}


def call(*texts: str) -> Dialogue:
    """Return a call that the user begins."""
    return Dialogue(
        id="a", turns=tuple(Turn(speaker=("user", "system")[at % 2], text=text) for at, text in enumerate(texts))
    )


def test_values_that_neither_card_nor_staff_told_are_leaks() -> None:
    dialogue = call("星夜包十块钱，短", "有五个G", "五个G啊，我还剩三百兆，十二块钱？")
    assert found_leaks(dialogue, ROW) == [Leak(2, ("十二块钱", "三百兆"))]
    assert counted(dialogue, ROW) == {"user utterances": 2, "leaks": 1}
    (problem,) = problems(dialogue, ROW)
    assert problem.message.startswith("the user says 十二块钱, 三百兆 before the staff does: ")
