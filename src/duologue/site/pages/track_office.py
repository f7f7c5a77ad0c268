"""The organiser's side of a track: teams, entries with what only the organiser may read, phases and the final."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.competition.entries import entries_of
from duologue.arena.competition.phases import advance, finalists_of, proposed, select_finalists
from duologue.arena.competition.ratings import ratings_of
from duologue.arena.competition.teams import judge_team, teams_of
from duologue.core.errors import UsageError
from duologue.site.area import Area, route
from duologue.site.page_error import not_found
from duologue.site.pages.tracks import ORGANISER, in_language, track_at

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Connection
    from starlette.responses import Response
    from starlette.routing import Route

    from duologue.arena.competition.track_file import PhaseDefinition, TrackDefinition
    from duologue.site.visit import Visit


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        route("/tracks/{track}/office", show_office, ORGANISER),
        route("/tracks/{track}/teams/{team}/state", change_state, ORGANISER, methods=("POST",)),
        route("/tracks/{track}/phases/{phase}/fill", fill, ORGANISER, methods=("POST",)),
        route("/tracks/{track}/phases/{phase}/select", select, ORGANISER, methods=("POST",)),
    ]


async def show_office(visit: Visit) -> Response:
    """Show teams, entries and finals."""
    track = await track_at(visit)
    found = await visit.read(_office, track)
    title = visit.t("tracks.office_of", title=in_language(visit, track.title, track.title_zh))
    return visit.page("tracks/office.html", title=title, track=track, **found)


async def change_state(visit: Visit) -> Response:
    """Approve or refuse a team."""
    track, form = await track_at(visit), await visit.form()
    state, team = form.choice("state", ("approved", "refused")), visit.at("team")
    known = await visit.read(teams_of, track.name)
    if team not in {one.id for one in known}:
        raise not_found()
    now, by = visit.now, visit.me.id
    await visit.submit(form, lambda connection: judge_team(connection, team, state, now=now, by=by))
    return visit.redirect(f"/tracks/{track.name}/office", said="tracks.saved")


async def fill(visit: Visit) -> Response:
    """Let the first of the phase before come in now."""
    track, form = await track_at(visit), await visit.form()
    phase, now, me = phase_at(visit, track), visit.now, visit.me.id
    filled = await visit.submit(form, lambda connection: advance(connection, track, now, early=phase.name, by=me))
    said = "tracks.filled" if phase.name in filled else "tracks.not_filled"
    return visit.redirect(f"/tracks/{track.name}/office", said=said)


async def select(visit: Visit) -> Response:
    """Note who is selected in the end."""
    track, form = await track_at(visit), await visit.form()
    phase = phase_at(visit, track)
    known = [one.team for one in await visit.read(finalists_of, track.name, phase.name)]
    chosen = form.choices("team", known)
    now, by = visit.now, visit.me.id
    await visit.submit(form, lambda connection: select_finalists(connection, track, phase, chosen, now=now, by=by))
    return visit.redirect(f"/tracks/{track.name}/office", said="tracks.saved")


def phase_at(visit: Visit, track: TrackDefinition) -> PhaseDefinition:
    """Return the phase that the path names. Raises `PageError` where there is none."""
    try:
        return track.phase(visit.at("phase"))
    except UsageError as error:
        raise not_found() from error


def _office(connection: Connection, track: TrackDefinition) -> dict[str, Any]:
    known, rated = teams_of(connection, track.name), ratings_of(connection, track.name)
    finals = [
        (
            phase,
            finalists_of(connection, track.name, phase.name),
            set(proposed(connection, track, phase)),
            {one.team: one for one in rated if one.phase == phase.name and one.source == "human"},
        )
        for phase in track.phases
        if phase.kind == "human"
    ]
    return {
        "teams": known,
        "names": {one.id: one.name for one in known},
        "handed_in": entries_of(connection, track.name)[::-1][:500],
        "finals": finals,
        "movable": [phase for phase in track.phases if phase.takes_entries],
    }


AREA = Area("track_office", routes)
