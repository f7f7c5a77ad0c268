"""What `duologue campaign plan --pairs` prints."""

from __future__ import annotations

from duologue.core.amounts import amount
from duologue.core.errors import UsageError
from duologue.metrics.significance import FEWEST
from duologue.ratings.pair_plan import (
    PairDesign,
    PairSpread,
    expect_pairs,
    items_for_share,
    least_share,
    max_items,
    pair_power,
)
from duologue.ratings.sample_size import POWER
from duologue.terminal import console


def plan_pairs(
    raters: int,
    items: int | None,
    per_item: int,
    systems: int,
    shares: tuple[float | None, float],
    spreads: tuple[float, float],
    *,
    seed: int,
    as_json: bool,
) -> None:
    """Tell the power of a plan, the least win share that it finds, or without `items` how many of them a share takes.

    `shares` are that of wins and that of ties, `spreads` those of items and raters.
    """
    share, spread = shares[0], PairSpread(*spreads, shares[1])
    design = PairDesign(raters, items or FEWEST, per_item, systems)
    expect_pairs(design, spread)
    told: dict[str, object] = {"spread": spread._asdict(), "win_share": share}
    if items is None:
        if share is None:
            raise UsageError("give --items, or the --win-share that is to be found")
        needed = items_for_share(design, spread, share, seed=seed)
        told |= {"items": needed, "wanted_power": POWER}
        design = design._replace(items=needed) if needed else design
        said = (
            f"{amount(needed, 'item finds', 'items find')} a win share of {share:.0%} with a chance of {POWER:.0%}."
            if needed
            else f"No number of items up to {max_items(design):,} finds a win share of {share:.0%}: it is small "
            f"for what items and the tastes of {raters} raters differ."
        )
    elif share is not None:
        found = pair_power(design, spread, share, seed=seed)
        told |= {"items": design.items, "power": found}
        said = f"A win share of {share:.0%} is found with a chance of {found:.0%}."
    else:
        least = least_share(design, spread, seed=seed)
        told |= {"items": design.items, "win_share": least, "wanted_power": POWER}
        said = (
            f"A win share of {least:.1%} is found with a chance of {POWER:.0%}."
            if least is not None
            else f"No win share below 99 % is found with a chance of {POWER:.0%}."
        )
    told |= {"raters": design.raters, "per_item": design.per_item, "systems": design.systems, "votes": design.votes}
    if as_json:
        console.as_json(told)
        return
    if told["items"] is not None:
        console.line(
            f"{amount(design.items, 'item')}, each pair of {amount(design.systems, 'system')} on each by "
            f"{design.per_item} of {amount(design.raters, 'rater')}: {amount(design.votes, 'vote')}."
        )
    console.line(said, bold=True)
    console.line(
        f"Assumed: ties {spread.ties:.0%}; spreads of what is felt between two systems, in logits: items "
        f"{spread.item:.2f}, raters {spread.rater:.2f}. A win counts 1, a tie half. Tests of all pairs, corrected."
    )
