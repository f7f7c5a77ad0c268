"""What people call for (specification, 13.6): drawn by what a call speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.rng import Rng

SCENARIOS = {
    "inquiry": 0.22,
    "bill": 0.15,
    "balance": 0.14,
    "cancel": 0.12,
    "change": 0.12,
    "fault": 0.09,
    "activity": 0.06,
    "roaming": 0.04,
    "broadband": 0.03,
    "points": 0.03,
}
"""Shares of what people call for."""
_HINTS = {
    "流量余额": {"balance": 8.0},
    "账户余额": {"balance": 6.0, "bill": 3.0},
    "账户余额（欠费）": {"bill": 8.0},
    "流量总量": {"balance": 3.0, "inquiry": 2.0},
    "用户需求": {"cancel": 3.0, "change": 3.0, "broadband": 2.0, "points": 2.0},
    "故障问题": {"fault": 40.0, "broadband": 4.0},
    "用户状态": {"fault": 6.0, "bill": 2.0},
    "短信": {"activity": 30.0},
    "国际漫游业务": {"roaming": 60.0},
}
"""How much more likely a scenario is where the call speaks of this."""


def draw_scenario(rng: Rng, slots: Sequence[str], kinds: Sequence[str]) -> str:
    """Return what a call with these slots of the user and types of entities is about."""
    weights = dict(SCENARIOS)
    for hint in (*slots, *kinds):
        for scenario, factor in _HINTS.get(hint, {}).items():
            weights[scenario] *= factor
    if not kinds:
        weights["inquiry"] *= 0.5
        weights["cancel"] *= 0.5
    return rng.weighted_key(weights)
