"""What must come next on the way START -> A -> B, as a list of rules that a candidate may break.

People name A in their second turn (81 %) and B in their fourth (46 %), fifth or third; the deadlines stand where a
conversation would otherwise end without (specification, section 7.1). The rules only forbid; which of the candidates
that break none is said, the trained choice decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.proactive.systems.planner.slots import TOPICS
from duologue.core.records import Record

if TYPE_CHECKING:
    from duologue.challenges.proactive.systems.planner.slots import Filling
    from duologue.challenges.proactive.systems.planner.state import Situation

WORST = 8
"""What breaking the gravest rule counts; each next one counts half."""


class Deadlines(Record, frozen=True, kw_only=True):
    """Agent turns, from 0, in which something is said at the latest."""

    first: int = 2
    """Naming A."""
    second: int = 4
    """Naming B."""
    facts: int = 3
    """Using a fact not used yet, as long as fewer than two were."""


def broken(now: Situation, filling: Filling, deadlines: Deadlines) -> int:
    """Return what a reply breaks, added up, 0 where nothing.

    8: it repeats an own utterance; 4: it names B before A; 2: it misses a deadline of a topic; 1: that of facts.
    """
    slots = {value.slot for value in filling.used}
    a, b = now.reached
    first, second = "{A}" in slots, "{B}" in slots
    repeats = "".join(filling.words) in now.lines[0::2]
    early = second and not (a or first)
    late = (not a and not first and now.turn >= deadlines.first) or (
        not b and not second and (a or first) and now.turn >= deadlines.second
    )
    return WORST * repeats + 4 * early + 2 * late + _idle(now, filling, deadlines)


def _idle(now: Situation, filling: Filling, deadlines: Deadlines) -> int:
    if now.turn < deadlines.facts:
        return 0
    own = "".join(now.lines[0::2])
    used = {value.words for value in now.values if value.slot not in TOPICS and "".join(value.words) in own}
    fresh = any(value.slot not in TOPICS and value.words not in used for value in filling.used)
    return int(len(used) < 2 and not fresh)
