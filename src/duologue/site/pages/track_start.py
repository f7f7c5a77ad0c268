"""A new track, for organisers: an archive with its TOML file and all that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

from duologue.arena.competition.track_archive import read_archive
from duologue.arena.competition.tracks import save_track
from duologue.site.area import Area, route
from duologue.site.pages.tracks import ORGANISER, blobs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response
    from starlette.routing import Route

    from duologue.site.visit import Visit


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        route("/new-track", show, ORGANISER),
        route("/new-track/upload", begin, ORGANISER, methods=("POST",)),
    ]


async def show(visit: Visit) -> Response:
    """Ask for the archive."""
    return visit.page("tracks/new.html", title=visit.t("tracks.new"))


async def begin(visit: Visit) -> Response:
    """Open a track, or change one."""
    form, blobs = await visit.form(), blobs_of(visit)
    source = await run_in_threadpool(read_archive, await form.file("archive").read())
    change, now, me, name = form.ticked("change"), visit.now, visit.me.id, source.definition.name

    await visit.submit(form, lambda connection: save_track(connection, blobs, source, now, change=change, by=me))
    return visit.redirect(f"/tracks/{name}", said="tracks.saved")


AREA = Area("track_start", routes)
