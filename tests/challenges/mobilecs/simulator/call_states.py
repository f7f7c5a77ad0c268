"""States of made-up calls, for tests of the two sides of a generated call."""

from __future__ import annotations

from duologue.challenges.mobilecs.simulator.call_plan import CallPlan
from duologue.challenges.mobilecs.simulator.call_state import CallState
from duologue.challenges.mobilecs.simulator.call_subject import CallSubject
from duologue.challenges.mobilecs.simulator.catalogue import make_catalogue
from duologue.challenges.mobilecs.simulator.fact_bundle import FactBundle, SharedFacts
from duologue.challenges.mobilecs.simulator.planned_entity import PlannedEntity, PlannedValue
from duologue.challenges.mobilecs.simulator.utterance import SpanMark, Text

PRODUCT = make_catalogue(1, 0.4)[0]


def value_of(owner: int | None, slot: str, text: str) -> PlannedValue:
    """Return a value of an entity or of the user."""
    return PlannedValue(slot, Text(text, SpanMark(owner, slot, is_mention=False)))


def entity_of(number: int, *names: str) -> PlannedEntity:
    """Return an entity with names."""
    entity = PlannedEntity(number, PRODUCT)
    entity.names = [Text(name, SpanMark(number, PRODUCT.type, is_mention=True)) for name in names]
    return entity


def plan_of(*entities: PlannedEntity) -> CallPlan:
    """Return a plan of entities and the user's balance."""
    return CallPlan(list(entities), [value_of(None, "账户余额", "八块钱")], "inquiry")


def state_of(user: list[FactBundle], staff: list[FactBundle], *, telling: bool = False) -> CallState:
    """Return the state at the begin of a call with these agendas."""
    return CallState(SharedFacts(user, staff), "inquiry", CallSubject(telling=telling))
