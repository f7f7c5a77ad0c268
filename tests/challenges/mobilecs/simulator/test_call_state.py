from __future__ import annotations

from tests.challenges.mobilecs.simulator.call_states import entity_of, state_of, value_of

from duologue.challenges.mobilecs.simulator.fact_bundle import FactBundle
from duologue.challenges.mobilecs.simulator.line import IntentLabel
from duologue.challenges.mobilecs.simulator.utterance import Text


def test_facts_of_an_entity_wait_until_it_is_introduced() -> None:
    entity = entity_of(0, "飞享套餐", "飞享")
    fee = FactBundle(entity, [], [value_of(0, "业务费用", "十块")])
    name = FactBundle(entity, [entity.names[0]], [])
    own = FactBundle(None, [], [value_of(None, "账户余额", "八块")])
    state = state_of([], [fee, name, own])
    assert state.ready(state.staff_queue) == [name, own]
    assert state.take_next(state.staff_queue, 2) == [name, fee]
    assert state.introduced == [entity]
    assert state.take_next(state.staff_queue, 5) == [own]
    assert state.staff_queue == []


def test_all_that_is_left_is_taken_with_introductions_first() -> None:
    entity = entity_of(0, "飞享套餐")
    fee = FactBundle(entity, [], [value_of(0, "业务费用", "十块")])
    name = FactBundle(entity, [entity.names[0]], [])
    state = state_of([name], [fee])
    assert state.take_all() == [name, fee]
    assert (state.user_queue, state.staff_queue, state.introduced) == ([], [], [entity])


def test_the_last_label_is_what_is_answered() -> None:
    state = state_of([], [])
    state.add([IntentLabel("被动确认"), IntentLabel("询问")], Text("嗯，多少钱"))
    assert state.last_intent == "询问"
