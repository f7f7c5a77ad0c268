"""A new campaign, for organisers: result files that are handed in, or systems that volunteers talk with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

from duologue.arena.campaigns.campaign import start_campaign
from duologue.arena.campaigns.campaign_protocol import campaign_protocols
from duologue.arena.campaigns.given_files import GivenCampaign, GivenFile, propose_given
from duologue.arena.campaigns.proposal import GivenSystem
from duologue.arena.talks.offers import talk_offers
from duologue.core.errors import UsageError
from duologue.core.plugins import names
from duologue.site.area import Area, route
from duologue.site.pages.campaigns import ORGANISERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response
    from starlette.routing import Route

    from duologue.arena.talks.offers import TalkOffer
    from duologue.site.form import Form
    from duologue.site.visit import Visit

MAX_ITEMS, MAX_RATERS = 10_000, 100


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        route("/campaigns/new", show, *ORGANISERS),
        route("/campaigns/upload", begin, *ORGANISERS, methods=("POST",)),
    ]


async def show(visit: Visit) -> Response:
    """Show the protocols, and ask for systems."""
    offers = await run_in_threadpool(talk_offers, visit.site.settings.workspace)
    known = await run_in_threadpool(campaign_protocols)
    return visit.page(
        "campaigns/new.html",
        title=visit.t("campaigns.new"),
        protocols=list(known.values()),
        offers=offers,
        tasks=names("tasks"),
        max_items=MAX_ITEMS,
        max_raters=MAX_RATERS,
    )


async def begin(visit: Visit) -> Response:
    """Start a campaign."""
    form = await visit.form()
    offers = {one.word: one for one in await run_in_threadpool(talk_offers, visit.site.settings.workspace)}
    asked = await _asked(form, [offers[word] for word in form.choices("offer", offers)])
    proposal = await run_in_threadpool(propose_given, asked)
    now, me = visit.now, visit.me.id

    made = await visit.submit(form, lambda connection: start_campaign(connection, **proposal._asdict(), now=now, by=me))
    return visit.redirect(f"/campaigns/{made}", said="campaigns.started")


async def _asked(form: Form, offers: Sequence[TalkOffer]) -> GivenCampaign:
    """Return what a form asks for; the task is that of the systems to talk with, where none is said."""
    task = form.text("task", limit=100, needed=False) or next((one.task for one in offers), "")
    strange = next((one for one in offers if one.task != task), None)
    if strange is not None:
        raise UsageError(f"'{strange.system}' is a system of {strange.task}, not of {task}; a campaign is of one task")
    return GivenCampaign(
        protocol=form.choice("protocol", campaign_protocols()),
        n=form.whole("n", 1, MAX_ITEMS),
        task=task,
        title=form.text("title", limit=200, needed=False),
        title_zh=form.text("title_zh", limit=200, needed=False),
        per_item=form.whole("per_item", 1, MAX_RATERS) if form.text("per_item", needed=False) else None,
        overlap=form.whole("overlap", 0, 100) / 100,
        seed=form.whole("seed", 0, 2**31 - 1),
        whole=form.ticked("whole"),
        results=await _files(form, "results"),
        gold=await _files(form, "gold"),
        data=(await _files(form, "data"))[:1],
        kb=(await _files(form, "kb"))[:1],
        live=tuple(GivenSystem.of(one.system) for one in offers),
    )


async def _files(form: Form, name: str) -> tuple[GivenFile, ...]:
    return tuple([GivenFile(one.filename or "", await one.read()) for one in form.files(name)])


AREA = Area("campaign_start", routes)
