from __future__ import annotations

from duologue.challenges.proactive.systems.planner.generator_input import KINDS, generator_source
from duologue.challenges.proactive.systems.planner.numbered_slots import NumberedSlots
from duologue.challenges.proactive.systems.planner.slots import SlotValue
from duologue.challenges.proactive.systems.planner.state import PlannerState

VALUES = (
    SlotValue("{A}", tuple("一二三四五六")),
    SlotValue("{a.评论}", ("戏", "好", "看", "，", "人", "也", "好")),
    SlotValue("{a.评论#0}", ("戏", "好", "看")),
    SlotValue("{a.上映时间@y}", ("2018年",)),
    SlotValue("{a.主演}", ("林", "小")),
    SlotValue("{a.主演}", ("红", "海")),
)


def state(**parts: object) -> PlannerState:
    given = {"turn": 0, "domains": "FS", "relations": (), "values": VALUES, "history": (), "said": "", "lines": ()}
    return PlannerState(**{**given, **parts})  # type: ignore[arg-type]


def test_a_state_is_read_by_hand() -> None:
    history = (("{A}", "好", "看"), ("哦",), ("林", "小"), ("谁", "？"))
    one = state(turn=2, relations=("a.主演>B",), history=history, said="林小")
    found = generator_source(one, NumberedSlots(one))
    assert list(zip(found.tokens, found.kinds, strict=True)) == [
        *(("J2", 0), ("S10", 0), ("DFS", 0), ("R:a.主演>B", 0)),
        *(("{A}", 1), ("一", 3), ("二", 3), ("三", 3), ("四", 3)),
        ("{a.评论}", 1),  # its clauses have its words
        *(("{a.评论#0}", 1), ("戏", 3), ("好", 3), ("看", 3)),
        ("{a.上映时间@y}", 1),
        *(("{a.主演}~1", 2), ("林", 4), ("小", 4)),
        *(("{a.主演}", 1), ("红", 3), ("海", 3)),
        *(("谁", 5), ("？", 5), ("林", 6), ("小", 6), ("哦", 7)),
    ]
    assert max(found.kinds) < KINDS


def test_late_turns_are_alike_and_long_states_are_cut() -> None:
    values = tuple(SlotValue(f"{{a.事{number}}}", tuple("甲乙丙丁戊己庚")) for number in range(60))
    late, later = (state(turn=turn, values=values) for turn in (6, 9))
    found = generator_source(late, NumberedSlots(late))
    assert found == generator_source(later, NumberedSlots(later))
    assert len(found.tokens) == len(found.kinds) == 220
    assert found.tokens[3:11] == ("{a.事0}", *"甲乙丙丁戊己", "{a.事1}")
