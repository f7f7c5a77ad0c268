"""Rating, for volunteers: one item at a time, blind; corrections; norming rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.campaigns.assignment import skip
from duologue.arena.campaigns.ballots import BETTER, LONGEST_REMARK, cast
from duologue.arena.campaigns.campaign import campaigns_to_join, campaigns_with
from duologue.arena.campaigns.norm_round import current_round, open_round_of, remark, vote
from duologue.arena.campaigns.norm_view import norm_view
from duologue.arena.campaigns.session_room import SessionRoom
from duologue.arena.campaigns.volunteer_view import own_ballots, shown_item, volunteer_view
from duologue.core.errors import UsageError
from duologue.site.area import Area, route
from duologue.site.navigation import NavigationEntry
from duologue.site.page_error import not_found

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Connection
    from starlette.responses import Response
    from starlette.routing import Route

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.campaigns.norm_round import NormRound
    from duologue.arena.campaigns.volunteer_view import VolunteerView
    from duologue.site.form import Form
    from duologue.site.visit import Visit

JOINERS = ("organiser", "judge")
"""Who may rate in a campaign without a link into it."""
_LONGEST_SECONDS = 86_400


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        route("/rate", show_all),
        route("/rate/{id}", show_next),
        route("/rate/{id}/mine", show_mine),
        route("/rate/{id}/norm", show_norm),
        route("/rate/{id}/norm/{unit}", vote_on, methods=("POST",)),
        route("/rate/{id}/norm/{unit}/remark", say, methods=("POST",)),
        route("/rate/{id}/items/{item}", show_item),
        route("/rate/{id}/items/{item}", rate, methods=("POST",)),
        route("/rate/{id}/items/{item}/skip", leave_out, methods=("POST",)),
    ]


async def show_all(visit: Visit) -> Response:
    """Show the campaigns that somebody rates in."""
    found = await visit.read(campaigns_with, visit.me.id)
    free = await visit.read(campaigns_to_join, visit.me.id) if visit.me.may(*JOINERS) else []
    return visit.page("rate/list.html", title=visit.t("rate.title"), campaigns=found, free=free)


async def show_next(visit: Visit) -> Response:
    """Show what comes next; it waits for this person from now on."""
    name, now, me = visit.at("id"), visit.now, visit.me.id
    room = SessionRoom(visit.language, now)

    def action(connection: Connection) -> tuple[Campaign, VolunteerView, NormRound | None] | None:
        campaign = _my_campaign(connection, me, name)
        if campaign is None:
            return None
        return campaign, volunteer_view(connection, campaign, me, now, room), current_round(connection, campaign)

    campaign, view, norm = visit.found(await visit.site.write(visit.by_me(action)))
    return _page(visit, "rate/next.html", campaign, view=view, item=view.item, norm=norm)


async def show_item(visit: Visit) -> Response:
    """Show an item that was rated, to be corrected."""
    campaign = await _campaign(visit)
    item = await _or_not_found(visit, shown_item, campaign, visit.me.id, visit.at("item"))
    return _page(visit, "rate/next.html", campaign, view=None, item=item, norm=None)


async def rate(visit: Visit) -> Response:
    """Keep a rating; of an item to learn from, tell what was right."""
    campaign, form = await _campaign(visit), await visit.form()
    item, now, me, said = visit.at("item"), visit.now, visit.me.id, _points(form, campaign)
    reason = form.text("reason", limit=100, needed=False)
    more = form.text("remark", limit=LONGEST_REMARK, needed=False)
    seconds = form.whole("seconds", 0, _LONGEST_SECONDS) if form.text("seconds", limit=20, needed=False) else None

    def action(connection: Connection) -> dict[str, Any]:
        return cast(
            connection, campaign, me, item, said, now=now, reason=reason, remark=more, seconds=seconds
        )._asdict()

    outcome = await visit.submit(form, action)
    if outcome["right"] is None:
        return visit.redirect(f"/rate/{campaign.id}", said="rate.corrected" if outcome["version"] > 1 else "rate.kept")
    why = outcome["why_zh" if visit.language == "zh" else "why"]
    return _page(visit, "rate/learned.html", campaign, right=outcome["right"], why=why)


async def leave_out(visit: Visit) -> Response:
    """Go on without rating an item."""
    campaign, form = await _campaign(visit), await visit.form()
    item, me = visit.at("item"), visit.me.id
    await visit.submit(form, lambda connection: skip(connection, campaign, me, item))
    return visit.redirect(f"/rate/{campaign.id}", said="rate.skipped")


async def show_mine(visit: Visit) -> Response:
    """Show what somebody has rated."""
    campaign = await _campaign(visit)
    found = await visit.read(own_ballots, campaign, visit.me.id)
    return _page(visit, "rate/mine.html", campaign, ballots=found)


async def show_norm(visit: Visit) -> Response:
    """Show the norming round: to vote blind, to discuss, to vote again."""
    campaign = await _campaign(visit)
    norm = await visit.read(norm_view, campaign, visit.me.id)
    return _page(visit, "rate/norm.html", campaign, norm=norm)


async def vote_on(visit: Visit) -> Response:
    """Keep a vote of a norming round."""
    campaign, form = await _campaign(visit), await visit.form()
    unit, now, me, said = visit.at("unit"), visit.now, visit.me.id, _points(form, campaign)
    shown = form.text("part")

    def action(connection: Connection) -> None:
        vote(connection, campaign, open_round_of(connection, campaign, shown=shown), me, unit, said, now)

    await visit.submit(form, action)
    return visit.redirect(f"/rate/{campaign.id}/norm", said="rate.voted")


async def say(visit: Visit) -> Response:
    """Keep a remark of the discussion."""
    campaign, form = await _campaign(visit), await visit.form()
    unit, now, me, text = visit.at("unit"), visit.now, visit.me.id, form.text("text", limit=LONGEST_REMARK)

    def action(connection: Connection) -> None:
        remark(connection, open_round_of(connection, campaign), me, unit, text, now)

    await visit.submit(form, action)
    return visit.redirect(f"/rate/{campaign.id}/norm", said="rate.said")


def _page(visit: Visit, template: str, campaign: Campaign, **values: Any) -> Response:
    return visit.page(template, title=campaign.title_in(visit.language), campaign=campaign, better=BETTER, **values)


def _points(form: Form, campaign: Campaign) -> dict[str, str]:
    """Return the points of a form. Raises `PageError` for one that lacks or is out of its scale."""
    if campaign.pairs:
        return {BETTER: form.choice(BETTER, ("a", "b", "tie"))}
    return {
        one.name: form.choice(f"points-{one.name}", [str(point) for point in range(one.low, one.high + 1)])
        for one in campaign.rating.criterion
    }


async def _campaign(visit: Visit) -> Campaign:
    """Return the campaign of the path, for its volunteers alone. Raises `PageError` for others."""
    return visit.found(await visit.read(_my_campaign, visit.me.id, visit.at("id")))


def _my_campaign(connection: Connection, person: str, name: str) -> Campaign | None:
    return next(iter(campaigns_with(connection, person, name)), None)


async def _or_not_found(visit: Visit, action: Any, *arguments: Any) -> Any:
    try:
        return await visit.read(action, *arguments)
    except UsageError as error:
        raise not_found() from error


AREA = Area("rate", routes, (NavigationEntry("/rate", "rate.title", ("volunteer", "judge")),))
