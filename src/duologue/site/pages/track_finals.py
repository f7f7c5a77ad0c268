"""The final of a track, for its organiser: the campaign that rates it, and what it says onto the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.campaigns.campaign import all_campaigns, find_campaign, start_campaign, status_of
from duologue.arena.competition.phases import finalists_of
from duologue.arena.finals.final_campaign import campaigns_of, link_campaign, propose_final
from duologue.core.disk import temporary_folder
from duologue.site.area import Area, route
from duologue.site.page_error import not_found
from duologue.site.pages.campaign_start import MAX_ITEMS, MAX_RATERS
from duologue.site.pages.track_office import phase_at
from duologue.site.pages.tracks import ORGANISER, blobs_of, in_language, track_at

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Connection
    from starlette.responses import Response
    from starlette.routing import Route

    from duologue.arena.campaigns.proposal import Proposal
    from duologue.arena.competition.track_file import PhaseDefinition, TrackDefinition
    from duologue.arena.database.blobs import Blobs
    from duologue.site.visit import Visit


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        route("/tracks/{track}/phases/{phase}/campaign", show, ORGANISER),
        route("/tracks/{track}/phases/{phase}/campaign", begin, ORGANISER, methods=("POST",)),
        route("/tracks/{track}/phases/{phase}/link", link, ORGANISER, methods=("POST",)),
    ]


async def show(visit: Visit) -> Response:
    """Show the campaigns that rate a final, with the forms that start or link one."""
    track = await track_at(visit)
    phase = phase_at(visit, track)
    if phase.kind != "human":
        raise not_found()
    found = await visit.read(_final, track, phase)
    title = in_language(visit, phase.title, phase.title_zh) or phase.name
    return visit.page("tracks/final.html", title=visit.t("tracks.rate_final", title=title), track=track, **found)


async def begin(visit: Visit) -> Response:
    """Start the campaign in which people rate the finalists."""
    track, form = await track_at(visit), await visit.form()
    phase, n = phase_at(visit, track), form.whole("n", 1, MAX_ITEMS)
    per_item = form.whole("per_item", 1, MAX_RATERS) if form.text("per_item", needed=False) else None
    made = await start_final(visit, track, phase, n, per_item, nonce=form.nonce)
    return visit.redirect(f"/campaigns/{made}", said="campaigns.started")


async def link(visit: Visit) -> Response:
    """Let a campaign that there is rate the final."""
    track, form = await track_at(visit), await visit.form()
    phase, now, me = phase_at(visit, track), visit.now, visit.me.id
    known = [one.id for one in await visit.read(all_campaigns)]
    chosen = form.choice("campaign", known)

    await visit.submit(
        form,
        lambda connection: link_campaign(connection, find_campaign(connection, chosen), track, phase, now=now, by=me),
    )
    return visit.redirect(f"/tracks/{track.name}/office", said="tracks.saved")


async def start_final(
    visit: Visit, track: TrackDefinition, phase: PhaseDefinition, n: int, per_item: int | None, *, nonce: str | None
) -> str:
    """Start the campaign of a final, once for each nonce, and return its id."""
    proposal = await visit.read(_proposal, blobs_of(visit), track, phase, n, per_item)
    now, me = visit.now, visit.me.id

    return str(
        await visit.site.write(
            visit.by_me(lambda connection: start_campaign(connection, **proposal._asdict(), now=now, by=me)),
            nonce=nonce,
        )
    )


def _final(connection: Connection, track: TrackDefinition, phase: PhaseDefinition) -> dict[str, Any]:
    free = [one for one in all_campaigns(connection) if not one.settings.track and not one.pairs]
    return {
        "phase": phase,
        "finalists": finalists_of(connection, track.name, phase.name),
        "campaigns": [(one, status_of(connection, one)) for one in campaigns_of(connection, track.name, phase.name)],
        "free": [one for one in free if not phase.protocol or one.rating.name == phase.protocol],
        "max_items": MAX_ITEMS,
    }


def _proposal(
    connection: Connection, blobs: Blobs, track: TrackDefinition, phase: PhaseDefinition, n: int, per_item: int | None
) -> Proposal:
    with temporary_folder() as folder:
        return propose_final(connection, blobs, track, phase, folder, n=n, per_item=per_item)


AREA = Area("track_finals", routes)
