"""The user's questions: what is asked of what the staff have on their agenda, and whether the label says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.ontology import COVERED_TYPES
from duologue.challenges.mobilecs.simulator.call_plan import HELD
from duologue.challenges.mobilecs.simulator.line import IntentLabel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.mobilecs.simulator.call_state import CallState
    from duologue.challenges.mobilecs.simulator.fact_bundle import FactBundle
    from duologue.challenges.mobilecs.simulator.planned_entity import PlannedEntity
    from duologue.challenges.mobilecs.simulator.surface_realiser import SurfaceRealiser
    from duologue.challenges.mobilecs.simulator.utterance import Text

_READABLE_ENTITIES = 9
"""Ids of one digit."""


class UserQuery:
    """Asks for bundles of the staff's agenda, which they must say next."""

    def __init__(
        self, state: CallState, realiser: SurfaceRealiser, phrases: Mapping[str, Any], *, argument_rate: float
    ) -> None:
        self.state, self.realiser, self.phrases, self.argument_rate = state, realiser, phrases, argument_rate

    def ask(self, intent: str) -> tuple[IntentLabel, Text]:
        """Return the label and text of a question; where nothing can be asked for, it is a general one."""
        unit, state = self.realiser.unit, self.state
        ready = state.ready(state.staff_queue)
        own = [one for one in ready if one.entity is None and one.values[0].slot in self.phrases["ask_user"]]
        own += [one for one in ready if one.held and not one.values]
        slots = [one for one in ready if one.entity is not None and one.values and one.entity in state.introduced]
        new = [one for one in ready if one.entity is not None and one.entity not in state.introduced]
        point = unit()
        if own and (point < 0.5 or not (slots or new)):
            asked, text = self._ask_own(intent, self.realiser.rng.choice(own))
        elif slots and (point < 0.75 or not new):
            asked, text = self._ask_slot(intent, slots[0])
        elif new:
            asked, text = self._ask_type(intent, new)
        else:
            asked, text = IntentLabel(intent), self.realiser.phrase(self.phrases["plain_ask"])
        if asked.slot and (unit() >= self.argument_rate or not is_readable(asked, state.introduced)):
            asked = IntentLabel(intent)
        return asked, text

    def _request(self, bundles: Sequence[FactBundle]) -> None:
        self.state.requested = [self.state.take(self.state.staff_queue, one) for one in bundles]

    def _ask_own(self, intent: str, bundle: FactBundle) -> tuple[IntentLabel, Text]:
        """Ask for a value of the user's own."""
        slot = HELD if bundle.held else bundle.values[0].slot
        self._request([bundle])
        return IntentLabel(intent, None, slot), self.realiser.phrase(self.phrases["ask_user"][slot])

    def _ask_slot(self, intent: str, bundle: FactBundle) -> tuple[IntentLabel, Text]:
        """Ask for a value of an introduced entity."""
        entity, slot = bundle.entity, bundle.values[0].slot
        assert entity is not None
        self._request([bundle])
        text = self.realiser.filled(self.phrases["ask"][slot], name=self.realiser.repeated_name(entity))
        return IntentLabel(intent, entity.number, slot), text

    def _ask_type(self, intent: str, new: Sequence[FactBundle]) -> tuple[IntentLabel, Text]:
        """Ask which entities of a type there are."""
        assert new[0].entity is not None
        kind = new[0].entity.product.type
        group = [one for one in new if one.entity is not None and one.entity.product.type == kind][:4]
        self._request(group)
        self.state.listing = True
        asked = IntentLabel(intent, None, self._asked_type(kind, group))
        return asked, self.realiser.phrase(self.phrases["ask_type"][kind])

    def _asked_type(self, kind: str, group: Sequence[FactBundle]) -> str:
        """Return the type asked for, or nothing where the official scorer, in lower case, would not find the answer."""
        if any(one.names[0].text == one.names[0].text.lower() for one in group):
            if kind in {"4G套餐", "5G套餐"} and self.realiser.unit() < 0.5:
                return "主套餐"
            return kind if kind.lower() in COVERED_TYPES else ""
        return ""


def is_readable(asked: IntentLabel, introduced: Sequence[PlannedEntity]) -> bool:
    """Whether the official programs can read the request: they cut ids of two digits and inner brackets."""
    if "（" in asked.slot:
        return False
    return asked.entity is None or asked.entity in [one.number for one in introduced[:_READABLE_ENTITIES]]
