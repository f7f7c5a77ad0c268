"""Samples user goals in the official form from knowledge bases alone (specification, section 12)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.intents import ASK, QUERY
from duologue.challenges.mobilecs.schema.ontology import (
    CONSULT,
    COVERED_TYPES,
    FEE,
    GOAL_ENTITY_INTENTS,
    GOAL_USER_INTENTS,
    QUERY_USER_SLOTS,
    REQUESTED,
    USER,
)
from duologue.challenges.mobilecs.simulator.plan_shares import SLOT_RATES, TYPE_SHARES
from duologue.challenges.mobilecs.simulator.requests import requests_of
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Mapping

    Base = Mapping[str, Mapping[str, str]]

_USER_REQUEST, _CONSULTATION = 0.3, 0.2
"""Shares of goals that ask for a slot of the user, and for the services of a type."""
_ATTEMPTS = 20
"""Draws after which a base is taken to have nothing to ask for."""
_OWN_WORDS = {"用户需求", "用户要求", "用户状态"}
"""Slots of the user that callers tell and do not ask for."""
_RARE = 0.005
"""Weight of a type or slot that the tables do not have."""
_RATES = {kind.lower(): rates for kind, rates in SLOT_RATES.items()}
_SHARES = {kind.lower(): share for kind, share in TYPE_SHARES.items()}
_SPELLED = {kind.lower(): kind for kind in TYPE_SHARES}


def sample_goal(base: Base, seed: int | str) -> dict[str, Any] | None:
    """Return an official goal that `base` can answer; `None` where it has nothing to ask for.

    One or two entities by the shares of their types, of each one or two requested slots by the rates of their type and
    up to two known ones, the fee first; sometimes a slot of the user and the services of a type.
    """
    rng = Rng(seed, "goal")
    for _ in range(_ATTEMPTS):
        goal = _draw(base, rng)
        with suppress(KeyError):  # it asks for the services of a type, one of which has no name
            wanted = list(requests_of(goal, base))
            if any(one.values for one in wanted):
                return goal
    return None


def _draw(base: Base, rng: Rng) -> dict[str, Any]:
    goal: dict[str, Any] = {}
    entities = [name for name in base if name != USER]
    for _ in range(min(1 + rng.below(2), len(entities))):
        weights = [_SHARES.get(_type(base[name]), _RARE) for name in entities]
        chosen = rng.weighted_choice(entities, weights)
        entities.remove(chosen)
        goal[chosen] = _entry(base[chosen], rng)
    own = [slot for slot in base.get(USER, {}) if slot in QUERY_USER_SLOTS and slot not in _OWN_WORDS]
    if own and rng.happens(_USER_REQUEST):
        goal[USER] = {rng.choice(own): REQUESTED, GOAL_USER_INTENTS: QUERY}
    kinds = sorted({_SPELLED[_type(slots)] for slots in base.values() if _type(slots) in COVERED_TYPES})
    if kinds and rng.happens(_CONSULTATION):
        goal[CONSULT] = f"{ASK}-{rng.choice(kinds)}"
    return goal


def _type(slots: Mapping[str, str]) -> str:
    return slots.get("type", "").lower()


def _entry(slots: Mapping[str, str], rng: Rng) -> dict[str, str]:
    """Return the goal's entry of one entity: a name, requested slots and known ones."""
    kind = _type(slots)
    entry = {"type": _SPELLED[kind]} if kind in _SPELLED else {}
    if slots.get("name"):
        entry["name"] = rng.choice(slots["name"].split(","))
    rates = _RATES.get(kind, {})
    left = [slot for slot in slots if slot not in {"name", "type"}]
    for _ in range(min(1 + rng.below(2), len(left))):
        slot = rng.weighted_choice(left, [rates.get(one, _RARE) for one in left])
        left.remove(slot)
        entry[slot] = REQUESTED
        entry[GOAL_ENTITY_INTENTS] = QUERY
    left.sort(key=lambda slot: slot != FEE)
    for slot in left[: rng.below(3)]:
        entry[slot] = slots[slot].split(",")[0]
    return entry
