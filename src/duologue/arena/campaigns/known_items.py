"""Items whose points are known: those that new raters learn from, and attention checks among the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.campaigns.campaign_protocol import KnownItem
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.arena.campaigns.campaign_protocol import CampaignProtocol
    from duologue.ratings.protocol import RatingProtocol

CHECKS = 20
"""Attention checks that a campaign has ready for each person."""


def check_items(protocol: CampaignProtocol, rating: RatingProtocol, seed: int) -> tuple[KnownItem, ...]:
    """Return attention checks: answers that say themselves what to choose, drawn by the seed."""
    if not protocol.check_every:
        return ()
    return tuple(_check(protocol, rating, Rng(seed, "check", number)) for number in range(CHECKS))


def is_right(known: KnownItem, points: Mapping[str, int | str], *, swapped: bool = False) -> bool:
    """Tell whether points, or the choice of a pair, are right; `swapped`: of a pair that was shown the other way."""
    if known.better:
        right = {"a": "b", "b": "a", "tie": "tie"}[known.better] if swapped else known.better
        return points.get("better") == right
    return all(points.get(name) in right for name, right in known.right.items())


def _check(protocol: CampaignProtocol, rating: RatingProtocol, rng: Rng) -> KnownItem:
    why = "This was an attention check: the answer said what to choose."
    why_zh = "这是注意力检查：回复里写明了应选什么。"
    if protocol.unit == "pair":
        text = "This is an attention check: choose this one. 这是注意力检查：请选这一个。"
        other = "This is an attention check: choose the other one. 这是注意力检查：请选另一个。"
        first, better = (text, "a") if rng.happens(0.5) else (other, "b")
        second = other if first is text else text
        return KnownItem(
            turns=(("system", first),),
            other=(("system", second),),
            better="a" if better == "a" else "b",
            why=why,
            why_zh=why_zh,
        )
    high = rng.happens(0.5)
    told = ("highest", "最高") if high else ("lowest", "最低")
    text = (
        f"This is an attention check: give every question the {told[0]} points. "
        f"这是注意力检查：请每一项都打{told[1]}分。"
    )
    right: dict[str, tuple[int, ...]] = {one.name: (one.high if high else one.low,) for one in rating.criterion}
    return KnownItem(turns=(("system", text),), right=right, why=why, why_zh=why_zh)
