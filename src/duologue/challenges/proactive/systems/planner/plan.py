"""Hard constraints on the way START -> A -> B, as a weighted sum of the rules that a candidate violates.

People name A in their second turn (81 %) and B in their fourth (46 %), fifth or third; the deadlines are where a
dialogue would otherwise end without it (specification, section 7.1). Among the candidates with the fewest violations
the trained ranker decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.proactive.systems.planner.slots import TOPICS
from duologue.core.records import Record

if TYPE_CHECKING:
    from duologue.challenges.proactive.systems.planner.slots import Filling
    from duologue.challenges.proactive.systems.planner.state import PlannerState

WORST_VIOLATION = 8
"""Weight of the gravest violation; each next one has half of it."""


class PlanDeadlines(Record, frozen=True, kw_only=True):
    """Latest agent turns, from 0, for naming topics and using facts."""

    first: int = 2
    """Naming A."""
    second: int = 4
    """Naming B."""
    facts: int = 3
    """Using a fact not used yet, as long as fewer than two were."""


def violations(state: PlannerState, filling: Filling, deadlines: PlanDeadlines) -> int:
    """Return the summed weights of the rules that a reply violates, 0 if none.

    8: repeats an own utterance; 4: names B before A; 2: misses the deadline of a topic; 1: that of facts.
    """
    slots = {value.slot for value in filling.used}
    a, b = state.reached
    first, second = "{A}" in slots, "{B}" in slots
    repeats = "".join(filling.words) in state.lines[0::2]
    early = second and not (a or first)
    late = (not a and not first and state.turn >= deadlines.first) or (
        not b and not second and (a or first) and state.turn >= deadlines.second
    )
    return WORST_VIOLATION * repeats + 4 * early + 2 * late + _misses_fact(state, filling, deadlines)


def _misses_fact(state: PlannerState, filling: Filling, deadlines: PlanDeadlines) -> int:
    if state.turn < deadlines.facts:
        return 0
    own = "".join(state.lines[0::2])
    used = {value.words for value in state.values if value.slot not in TOPICS and "".join(value.words) in own}
    fresh = any(value.slot not in TOPICS and value.words not in used for value in filling.used)
    return int(len(used) < 2 and not fresh)
