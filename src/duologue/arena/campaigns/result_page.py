"""Results of a campaign as an HTML page in two languages, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.report.ratings import ratings_page, ratings_to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.campaigns.campaign_results import CampaignResults
    from duologue.ratings.agreement import Agreement


def result_page(campaign: Campaign, found: CampaignResults, *, commands: Sequence[str] = ()) -> str:
    """Return the page; the same results give the same bytes."""
    told = [one for norm in found.norming for one in (*norm.before, *norm.after)]
    return ratings_page(
        found.summary,
        title=" · ".join(filter(None, (campaign.title, campaign.settings.title_zh))),
        commands=commands,
        name="campaign.html.j2",
        more={
            "came": found,
            "reasons": {one.name: one for one in campaign.protocol.reason},
            "norm_whys": list(dict.fromkeys(one.why for one in told if one.value is None)),
        },
    )


def results_to_json(found: CampaignResults) -> dict[str, Any]:
    """Return the results as plain data."""
    return {
        **ratings_to_json(found.summary),
        "volunteers": [{**one._asdict(), "careless": one.careless} for one in found.quality],
        "left_out": list(found.left_out),
        "norming": [
            {
                "round": one.number,
                "criterion": one.criterion,
                "before": _agreements(one.before),
                "after": _agreements(one.after),
            }
            for one in found.norming
        ],
        "choices": _agreements(found.choices),
        "reasons": [{"system": who or None, "reason": why, "count": count} for who, why, count in found.reasons],
        "selection": found.selection._asdict() if found.selection is not None else None,
    }


def _agreements(found: Sequence[Agreement]) -> list[dict[str, Any]]:
    return [one._asdict() for one in found]
