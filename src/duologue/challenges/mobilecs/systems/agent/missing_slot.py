"""Questions for a slot that the call's base does not have: a value of another slot is no answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.schema.ontology import CONSULT, DURATION, USER
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME
from duologue.challenges.mobilecs.systems.agent.slot_cues import slot_of

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.network import TurnProbabilities
    from duologue.challenges.mobilecs.systems.agent.slot_cues import SlotCues
    from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffAction

_SURE = 0.35
"""Strength of the cues of a slot from which it is what the user asks for."""
_CLEARER = 1.3
"""How many times as strong they are as those of any slot that the base has."""
_WANTED = 0.4
"""Probability that a piece is asked for from which it is told, whatever the words are."""
_LASTS = re.compile(r"有效期|期限|用多久|用多长时间|(?:是|管)多长时间|管多久|几个月的|什么时候到期|用到什么时候")
"""How people ask how long something lasts: training calls have few of their words, so that no cue is strong enough."""

REPLIES = ("您问的这一项我这边暂时查不到，您稍后可以再核对一下", "这一项在系统里面暂时看不到")
"""What is said instead."""


def is_missing(view: CallView, read: TurnProbabilities, action: StaffAction, cues: SlotCues) -> bool:
    """Whether an action tells something else for a slot that the user's words ask for and the base does not have.

    What the user says and has confirmed is nothing else.
    """
    told = [one for one in action.tells if view.pieces[one].slot != NAME and one not in view.said_now]
    if not told or max(float(read.wanted[number]) for number in told) >= _WANTED:
        return False
    slots = {piece.slot for piece in view.pieces}
    if DURATION not in slots and _LASTS.search(view.masked):
        return True
    strengths = cues.strengths(view)
    asked = max(strengths, key=lambda slot: (strengths[slot], slot), default="")
    if asked.startswith(CONSULT) or strengths.get(asked, 0.0) < _SURE:
        return False
    if asked.removeprefix(f"{USER}:") in slots:
        return False
    there = max((strengths.get(slot_of(piece), 0.0) for piece in view.pieces), default=0.0)
    return strengths[asked] >= _CLEARER * there
