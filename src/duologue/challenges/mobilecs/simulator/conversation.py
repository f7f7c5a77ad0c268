"""The dialogue of a planned call: turns of user and staff from the greeting to the closing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.simulator import acts
from duologue.challenges.mobilecs.simulator.call_state import CallState
from duologue.challenges.mobilecs.simulator.call_subject import CallSubject
from duologue.challenges.mobilecs.simulator.fact_bundle import share_facts
from duologue.challenges.mobilecs.simulator.scripted_staff import ScriptedStaff
from duologue.challenges.mobilecs.simulator.scripted_user import ScriptedUser

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.simulator.call_plan import CallPlan
    from duologue.challenges.mobilecs.simulator.line import Line
    from duologue.core.rng import Rng


class Conversation:
    """Realises the plan of one call in a number of turns; `argument_rate`: how often a label says what is asked for."""

    def __init__(self, plan: CallPlan, rng: Rng, *, turns: int, argument_rate: float) -> None:
        self.turns, self.unit = turns, rng.unit
        self.state = CallState(share_facts(plan, rng.unit), plan.scenario, CallSubject(telling=plan.telling))
        self.user = ScriptedUser(self.state, rng, argument_rate=argument_rate)
        self.staff = ScriptedStaff(self.state, rng)

    def realise(self) -> list[Line]:
        """Return the lines: the staff's greeting, then user and staff in turn, the user last. Call it once."""
        unit, user, staff = self.unit, self.user, self.staff
        staff.greet()
        closing = 0 if unit() < acts.CUT_OFF or self.turns < 4 else 2 if unit() < 0.3 else 1
        body = self.turns - closing
        second_topic = unit() < acts.SECOND_TOPIC and body > 6
        purpose_open = True
        for number in range(body):
            left = body - number
            if number == 0:
                purpose_open = not user.open()
            elif purpose_open or (second_topic and number == body // 2 + 1):
                user.state_purpose([])
                purpose_open = False
            else:
                user.respond(left)
            if second_topic and number == body // 2 and left > 2 and not self.state.requested:
                staff.offer_more()
            elif purpose_open:
                staff.invite()
            else:
                staff.respond(left)
        self._close(closing)
        return self.state.lines

    def _close(self, turns: int) -> None:
        """End the call in up to two turns, thanks with an offer of more help and goodbye, and the user's last word."""
        unit = self.unit
        if turns > 0:
            thanks = unit() < 0.55
            self.user.thank("客套" if thanks else "被动确认" if unit() < 0.6 else "其他")
            self.staff.offer_help(thanked=thanks)
        if turns > 1:
            self.user.decline()
            self.staff.say_goodbye()
        if turns == 1:
            self.user.decline()
        else:
            self.user.say_last(closed=turns > 1)
