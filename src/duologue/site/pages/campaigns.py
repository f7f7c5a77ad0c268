"""Campaigns, for organisers: progress, volunteers with their links, norming, results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from duologue.arena.campaigns.campaign import (
    all_campaigns,
    find_campaign,
    reopen_campaign,
    status_of,
)
from duologue.arena.campaigns.campaign_results import has_ratings, ratings_of, results_of
from duologue.arena.campaigns.invitation import invite_one, page_of
from duologue.arena.campaigns.kept_judge import judge_of, keep_judge
from duologue.arena.campaigns.norm_round import advance, all_rounds, open_round, open_round_of, votes_of
from duologue.arena.campaigns.volunteers import enrol, quality_of
from duologue.arena.finals.final_campaign import final_of
from duologue.arena.finals.final_results import end_campaign, final_results, keep_results
from duologue.arena.people.links import VOLUNTEER_DAYS, path_of
from duologue.arena.people.secret import derived_secret
from duologue.core.errors import UsageError
from duologue.ratings.rows import ratings_text
from duologue.site.area import Area, route
from duologue.site.navigation import NavigationEntry
from duologue.site.page_error import not_found
from duologue.site.pages.rate import JOINERS
from duologue.site.pages.tracks import blobs_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Connection
    from starlette.routing import Route

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.campaigns.campaign_results import CampaignResults
    from duologue.arena.database.blobs import Blobs
    from duologue.site.visit import Visit

ORGANISERS = ("organiser",)
_MAX_LINKS = 100
MAX_NORMED = 50
_FILE = Path("ratings.csv")


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        route("/campaigns", show_all, *ORGANISERS),
        route("/campaigns/{id}", show_one, *ORGANISERS),
        route("/campaigns/{id}/links", add_links, *ORGANISERS, methods=("POST",)),
        route("/campaigns/{id}/join", join, *JOINERS, methods=("POST",)),
        route("/campaigns/{id}/norm", go_on_norming, *ORGANISERS, methods=("POST",)),
        route("/campaigns/{id}/close", close, *ORGANISERS, methods=("POST",)),
        route("/campaigns/{id}/reopen", reopen, *ORGANISERS, methods=("POST",)),
        route("/campaigns/{id}/results", show_results, *ORGANISERS),
        route("/campaigns/{id}/judge/upload", take_judge, *ORGANISERS, methods=("POST",)),
        route("/campaigns/{id}/board", take_to_board, *ORGANISERS, methods=("POST",)),
        route("/campaigns/{id}/ratings.csv", download, *ORGANISERS),
    ]


async def show_all(visit: Visit) -> Response:
    """Show all campaigns."""
    found = await visit.read(_with_status)
    return visit.page("campaigns/list.html", title=visit.t("campaigns.title"), campaigns=found)


async def show_one(visit: Visit) -> Response:
    """Show how far a campaign is, and how well each volunteer rates."""
    campaign = await _campaign(visit)
    return visit.page(
        "campaigns/campaign.html", title=campaign.title_in(visit.language), **await visit.read(_progress, campaign)
    )


async def add_links(visit: Visit) -> Response:
    """Invite volunteers, and show their links once."""
    campaign, form = await _campaign(visit), await visit.form()
    n, now, me = form.whole("n", 1, _MAX_LINKS), visit.now, visit.me.id
    secrets = [derived_secret(visit.key, f"{form.nonce}{number}") for number in range(n)]

    def action(connection: Connection) -> list[str]:
        return [invite_one(connection, campaign, one, days=VOLUNTEER_DAYS, now=now, by=me) for one in secrets]

    codes = await visit.submit(form, action)
    links = [(code, visit.base + path_of(one)) for code, one in zip(codes, secrets, strict=True)]
    return visit.page("campaigns/links.html", title=visit.t("campaigns.links"), campaign=campaign, links=links)


async def join(visit: Visit) -> Response:
    """Let an organiser or a judge rate too."""
    campaign, form = await _campaign(visit), await visit.form()
    now, me = visit.now, visit.me.id
    await visit.submit(form, lambda connection: enrol(connection, campaign, me, now))
    return visit.redirect(page_of(campaign))


async def go_on_norming(visit: Visit) -> Response:
    """Open a norming round, or bring the open one on."""
    campaign, form = await _campaign(visit), await visit.form()
    n, now = form.whole("items", 1, MAX_NORMED) if form.has("items") else None, visit.now
    shown = form.text("part") if n is None else ""
    me = visit.me.id

    def action(connection: Connection) -> None:
        if n is not None:
            open_round(connection, campaign, n, now, by=me)
        else:
            advance(connection, open_round_of(connection, campaign, shown=shown), now, by=me)

    await visit.submit(form, action)
    return visit.redirect(f"/campaigns/{campaign.id}", said="campaigns.saved")


async def close(visit: Visit) -> Response:
    """End a campaign."""
    campaign, form = await _campaign(visit), await visit.form()
    blobs, me = blobs_of(visit), visit.me.id
    kept = await run_in_threadpool(end_campaign, visit.database, blobs, campaign, by=me, nonce=form.nonce)
    return visit.redirect(f"/campaigns/{campaign.id}", said="campaigns.on_board" if kept else "campaigns.saved")


async def take_to_board(visit: Visit) -> Response:
    """Put what people have said so far onto the board of the final that a campaign rates."""
    campaign, form = await _campaign(visit), await visit.form()
    found, now, me = await visit.read(final_results, blobs_of(visit), campaign), visit.now, visit.me.id
    if found is None:
        return visit.redirect(f"/campaigns/{campaign.id}", said="campaigns.results_none")
    await visit.submit(form, lambda connection: keep_results(connection, found, now=now, by=me))
    return visit.redirect(f"/campaigns/{campaign.id}", said="campaigns.on_board")


async def take_judge(visit: Visit) -> Response:
    """Keep a judge's scores beside people's."""
    campaign, form, blobs = await _campaign(visit), await visit.form(), blobs_of(visit)
    file = form.file("judge")
    name, data = file.filename or "", await file.read()
    me = visit.me.id
    await run_in_threadpool(keep_judge, visit.database, blobs, campaign, name, data, by=me, nonce=form.nonce)
    return visit.redirect(f"/campaigns/{campaign.id}/results", said="campaigns.judge_kept")


async def reopen(visit: Visit) -> Response:
    """Let a campaign go on."""
    campaign, form = await _campaign(visit), await visit.form()
    now, me = visit.now, visit.me.id
    await visit.submit(form, lambda connection: reopen_campaign(connection, campaign, now, by=me))
    return visit.redirect(f"/campaigns/{campaign.id}", said="campaigns.saved")


async def show_results(visit: Visit) -> Response:
    """Show the ranks by the challenge's rule."""
    campaign = await _campaign(visit)
    found = await visit.read(_results, blobs_of(visit), campaign)
    left_out = found is None and await visit.read(has_ratings, campaign)
    values: dict[str, Any] = {"campaign": campaign, "found": found, "left_out": left_out}
    return visit.page("campaigns/results.html", title=campaign.title_in(visit.language), **values)


async def download(visit: Visit) -> Response:
    """Return the ratings as a file that `duologue ratings score` reads."""
    campaign = await _campaign(visit)
    text = ratings_text(await visit.read(ratings_of, campaign), _FILE)
    name = {"Content-Disposition": f'attachment; filename="{campaign.id}.csv"'}
    return Response(text, media_type="text/csv", headers=name)


async def _campaign(visit: Visit) -> Campaign:
    try:
        return await visit.read(find_campaign, visit.at("id"))
    except UsageError as error:
        raise not_found() from error


def _with_status(connection: Connection) -> list[dict[str, Any]]:
    return [{"campaign": one, "status": status_of(connection, one)} for one in all_campaigns(connection)]


def _progress(connection: Connection, campaign: Campaign) -> dict[str, Any]:
    rounds = all_rounds(connection, campaign)
    return {
        "campaign": campaign,
        "progress": status_of(connection, campaign),
        "quality": quality_of(connection, campaign),
        "rounds": [(one, len(votes_of(connection, campaign, one))) for one in rounds],
        "norm": next((one for one in rounds if one.state != "closed"), None),
        "final": final_of(connection, campaign),
        "max_links": _MAX_LINKS,
        "max_normed": MAX_NORMED,
    }


def _results(connection: Connection, blobs: Blobs, campaign: Campaign) -> CampaignResults | None:
    if not ratings_of(connection, campaign):
        return None
    return results_of(connection, campaign, judge=judge_of(blobs, campaign))


AREA = Area("campaigns", routes, (NavigationEntry("/campaigns", "campaigns.title", ORGANISERS),))
