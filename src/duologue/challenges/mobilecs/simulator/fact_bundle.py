"""Bundles of facts: which side of a call says which names and values, and which of them in one utterance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.challenges.mobilecs.simulator.call_plan import CallPlan
    from duologue.challenges.mobilecs.simulator.planned_entity import PlannedEntity, PlannedValue
    from duologue.challenges.mobilecs.simulator.utterance import Text

_USER_SAYS = {"业务费用": 0.19, "流量总量": 0.17, "业务规则": 0.08, "流量范围": 0.1, "业务时长": 0.2, "办理渠道": 0.2}
"""How often a value of an entity is said by the user rather than by the staff."""
_STAFF_SAYS_OWN = {"流量余额": 0.62, "账户余额": 0.7, "账户余额（欠费）": 0.5, "流量总量": 0.5, "用户状态": 0.25}
"""How often a value of the user's own is said by the staff."""


class FactBundle:
    """Facts said together: mentions and values of one entity, or values of the user's own (`entity` is `None`)."""

    __slots__ = ("entity", "held", "names", "values")

    def __init__(
        self, entity: PlannedEntity | None, names: list[Text], values: list[PlannedValue], *, held: bool = False
    ) -> None:
        self.entity, self.names, self.values, self.held = entity, names, values, held
        # `held`: the first name also says that the user has the entity

    @property
    def introduces(self) -> bool:
        """Whether it has the fullest name of its entity, with which the entity can be spoken of for the first time."""
        return self.entity is not None and bool(self.names) and self.names[0] is self.entity.names[0]


class SharedFacts(NamedTuple):
    """The bundles of a call by the side that says them, in order."""

    user: list[FactBundle]
    staff: list[FactBundle]


def share_facts(plan: CallPlan, unit: Callable[[], float]) -> SharedFacts:
    """Return all facts of a plan in bundles, shared out between user and staff by numbers of `unit` (0 to below 1)."""
    shared = SharedFacts([], [])
    for entity in plan.entities:
        for by_user, bundle in _entity_bundles(entity, unit):
            (shared.user if by_user else shared.staff).append(bundle)
    for value in plan.user_values:
        by_staff = unit() < _STAFF_SAYS_OWN.get(value.slot, 0.06)
        queue = shared.staff if by_staff else shared.user
        place = 0 if not by_staff and unit() < 0.6 else int(unit() * (len(queue) + 1))
        queue.insert(place, FactBundle(None, [], [value]))
    return shared


def _entity_bundles(entity: PlannedEntity, unit: Callable[[], float]) -> list[tuple[bool, FactBundle]]:
    """Return the bundles of an entity, the one that introduces it first, each with whether the user says it."""
    by_staff = [value for value in entity.values if unit() >= _USER_SAYS.get(value.slot, 0.15)]
    by_user = [value for value in entity.values if value not in by_staff]
    user_introduces = unit() < (0.5 if entity.number == 0 else 0.3)
    values = by_user if user_introduces else by_staff
    first = FactBundle(entity, [entity.names[0]], values[:2], held=entity.held and not user_introduces)
    del values[:2]
    rest: list[tuple[bool, FactBundle]] = []
    while by_staff:
        size = 1 + int(unit() * 3)
        rest.append((False, FactBundle(entity, [], by_staff[:size])))
        del by_staff[:size]
    rest += [(True, FactBundle(entity, [], [value])) for value in by_user]
    for name in entity.names[1:]:
        free = [bundle for _, bundle in rest if not bundle.names]
        if free and unit() < 0.75:
            free[int(unit() * len(free))].names.append(name)
        else:
            rest.append((unit() < 0.42, FactBundle(entity, [name], [])))
    if entity.held and user_introduces:
        name = entity.names[-1] if unit() < 0.5 else entity.names[0]
        rest.append((False, FactBundle(entity, [name], [], held=True)))
    return [(user_introduces, first), *rest]
