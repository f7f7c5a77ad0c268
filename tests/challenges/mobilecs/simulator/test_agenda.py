from __future__ import annotations

from duologue.challenges.mobilecs.simulator.agenda import Agenda, KnownValue, known_values
from duologue.challenges.mobilecs.simulator.staff_turn import read_text

BASE = {
    "ent-1": {"name": "彩铃,炫铃", "type": "业务", "业务费用": "五元"},
    "ent-2": {"name": "飞享", "type": "主套餐", "流量总量": "一个G"},
}
GOAL = {
    "ent-1": {"name": "炫铃", "业务费用": "?", "用户意图": "询问,取消"},
    "ent-2": {"流量总量": "?", "业务费用": "八元,十元", "用户意图": "询问"},
    "NA": {"用户状态": "停机"},
}


def test_what_is_answered_is_struck_off_and_what_is_given_up_still_counts() -> None:
    agenda = Agenda(GOAL, BASE)
    assert [one.argument for one in agenda.official] == ["ent-1-业务费用", "ent-2-流量总量"]
    fee, volume, cancellation = agenda.open
    agenda.pending = [fee]
    assert agenda.take(read_text("是五元")) == 1
    assert (agenda.fulfilled, agenda.missing, agenda.waiting()) == (("ent-1-业务费用",), 1, [])
    agenda.give_up(volume)
    assert agenda.open == [cancellation]
    assert agenda.take(read_text("还有一个G")) == 1
    assert agenda.missing == 0


def test_a_cancellation_is_confirmed_with_the_name_once_it_was_asked_for() -> None:
    agenda = Agenda(GOAL, BASE)
    agenda.take(read_text("彩铃是我们的业务"))
    assert len(agenda.open) == 3
    agenda.pending = [agenda.open[-1]]
    assert agenda.take(read_text("彩铃取消了")) == 0
    assert len(agenda.open) == 2


def test_known_values_are_told_once() -> None:
    assert known_values(GOAL) == [KnownValue("ent-2", "业务费用", "八元"), KnownValue("NA", "用户状态", "停机")]
    agenda = Agenda(GOAL, BASE)
    assert agenda.tell("ent-2", 2) == [KnownValue("ent-2", "业务费用", "八元")]
    assert agenda.tell("ent-2", 2) == []


def test_names() -> None:
    agenda = Agenda(GOAL, BASE)
    assert (agenda.names("ent-1"), agenda.spoken_names("ent-1")) == (["彩铃", "炫铃"], ["炫铃"])
    assert (agenda.spoken_names("ent-2"), agenda.spoken_names("ent-7")) == (["飞享"], ["这个业务"])
    agenda.pending = [agenda.open[0]]
    assert agenda.is_about("您是说彩铃吗")
    assert agenda.is_about("是这个吗")
    assert not agenda.is_about("您是说飞享吗")
