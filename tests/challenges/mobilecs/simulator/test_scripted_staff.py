from __future__ import annotations

from tests.challenges.mobilecs.simulator.call_states import state_of, value_of

from duologue.challenges.mobilecs.simulator.fact_bundle import FactBundle
from duologue.challenges.mobilecs.simulator.line import IntentLabel
from duologue.challenges.mobilecs.simulator.scripted_staff import ScriptedStaff
from duologue.challenges.mobilecs.simulator.utterance import Text
from duologue.core.rng import Rng


def test_what_is_requested_is_answered_after_one_turn_of_waiting_at_most() -> None:
    waits = 0
    for number in range(60):
        state = state_of([], [])
        own = value_of(None, "账户余额", "八块")
        state.requested = [FactBundle(None, [], [own])]
        state.add([IntentLabel("询问")], Text("还有多少钱"))
        staff = ScriptedStaff(state, Rng("staff", number))
        staff.respond(5)
        if state.requested:
            waits += 1
            assert "八块" not in state.lines[-1].text.text
            state.add([IntentLabel("被动确认")], Text("好"))
            staff.respond(4)
        assert "八块" in state.lines[-1].text.text
        assert state.told == [(None, own)]
    assert 5 < waits < 30


def test_a_question_stays_open_until_the_staff_speak_again() -> None:
    kinds = set()
    for number in range(80):
        state = state_of([], [])
        state.add([IntentLabel("提供信息")], Text("我在外面"))
        staff = ScriptedStaff(state, Rng("asks", number))
        staff.respond(5)
        assert bool(state.question) == any(label.name == "询问" for label in state.lines[-1].labels)
        kinds.add(state.question)
    assert len(kinds) > 3
