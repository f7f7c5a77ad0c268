from __future__ import annotations

from tests.challenges.mobilecs.simulator.call_states import entity_of, state_of, value_of

from duologue.challenges.mobilecs.simulator.fact_bundle import FactBundle
from duologue.challenges.mobilecs.simulator.line import IntentLabel
from duologue.challenges.mobilecs.simulator.scripted_user import ScriptedUser
from duologue.challenges.mobilecs.simulator.utterance import Text
from duologue.core.rng import Rng


def test_near_the_end_the_user_says_all_of_the_agenda() -> None:
    for number in range(40):
        entity = entity_of(0, "飞享套餐")
        name = FactBundle(entity, [entity.names[0]], [value_of(0, "业务费用", "十块")])
        state = state_of([name, FactBundle(None, [], [value_of(None, "账户余额", "八块")])], [])
        state.add([IntentLabel("通知")], Text("好的"))
        ScriptedUser(state, Rng("user", number), argument_rate=0.5).respond(1)
        assert state.user_queue == []
        assert all(text in state.lines[-1].text.text for text in ("飞享套餐", "十块", "八块"))


def test_a_user_who_waits_only_acknowledges() -> None:
    for number in range(40):
        own = FactBundle(None, [], [value_of(None, "账户余额", "八块")])
        state = state_of([own], [])
        state.requested = [own]
        state.add([IntentLabel("通知")], Text("请稍等"))
        ScriptedUser(state, Rng("waits", number), argument_rate=0.5).respond(1)
        assert state.last_intent in {"被动确认", "其他"}
        assert state.user_queue == [own]
