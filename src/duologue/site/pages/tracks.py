"""Tracks: what is asked, when, by which rules; registration; the board."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from starlette.responses import FileResponse

from duologue.arena.competition.entries import QuotaUse, quota_use
from duologue.arena.competition.phase_clock import closes_at, day_of, opens_at, phase_time
from duologue.arena.competition.teams import Team, register, team_of
from duologue.arena.competition.track_board import Viewer, board_for
from duologue.arena.competition.tracks import file_names, find_track, input_file, track_names
from duologue.arena.storage import open_blobs
from duologue.core.errors import UsageError
from duologue.site.area import Area, open_route, route
from duologue.site.interval_figure import interval_figure
from duologue.site.navigation import NavigationEntry
from duologue.site.page_error import forbidden, not_found

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection
    from starlette.responses import Response
    from starlette.routing import Route

    from duologue.arena.competition.phase_clock import PhaseTime
    from duologue.arena.competition.track_board import BoardColumn
    from duologue.arena.competition.track_file import PhaseDefinition, TrackDefinition
    from duologue.arena.database.blobs import Blobs
    from duologue.site.interval_figure import IntervalFigure
    from duologue.site.visit import Visit

PARTICIPANTS = ("participant", "organiser")
ORGANISER = "organiser"


class ShownPhase(NamedTuple):
    """A phase as the page of its track shows it."""

    phase: PhaseDefinition
    time: PhaseTime
    opens_at: int
    closes_at: int
    files: tuple[str, ...]
    """Data that may be fetched now."""
    use: QuotaUse | None
    left: int | None


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        open_route("/tracks", show_tracks),
        open_route("/tracks/{track}", show_track),
        open_route("/tracks/{track}/board", show_board),
        route("/tracks/{track}/register", show_registration, *PARTICIPANTS),
        route("/tracks/{track}/register", take_registration, *PARTICIPANTS, methods=("POST",)),
        route("/tracks/{track}/data/{phase}/{name:path}", fetch_data, *PARTICIPANTS),
    ]


async def show_tracks(visit: Visit) -> Response:
    """Show all tracks."""
    found = await visit.read(_tracks)
    return visit.page(
        "tracks/list.html",
        title=visit.t("tracks.title"),
        tracks=found,
        now=visit.now,
        time=phase_time,
        organiser=is_organiser(visit),
    )


async def show_track(visit: Visit) -> Response:
    """Show one track with its phases."""
    track = await track_at(visit)
    team = await my_team(visit, track)
    phases = await visit.read(_phases, track, team, visit.now, organiser=is_organiser(visit))
    return visit.page(
        "tracks/track.html",
        title=in_language(visit, track.title, track.title_zh),
        track=track,
        rules=in_language(visit, track.rules, track.rules_zh),
        phases=phases,
        team=team,
        organiser=is_organiser(visit),
        now=visit.now,
    )


async def show_board(visit: Visit) -> Response:
    """Show the board as the reader may see it."""
    track = await track_at(visit)
    team = await my_team(visit, track)
    viewer = Viewer(is_organiser(visit), team.id if team else "")
    board = await visit.read(board_for, track, viewer, visit.now)
    title = visit.t("tracks.board_of", title=in_language(visit, track.title, track.title_zh))
    figures = {one.phase.name: _figure(one, dict(board.teams)) for one in board.columns}
    return visit.page("tracks/board.html", title=title, track=track, board=board, team=team, figures=figures)


async def show_registration(visit: Visit) -> Response:
    """Show the agreement with the form of registration."""
    track = await track_at(visit)
    team = await my_team(visit, track)
    if team is not None:
        return visit.redirect(f"/tracks/{track.name}")
    agreement = in_language(visit, track.agreement, track.agreement_zh)
    return visit.page("tracks/register.html", title=visit.t("tracks.register"), track=track, agreement=agreement)


async def take_registration(visit: Visit) -> Response:
    """Register a team."""
    track, form = await track_at(visit), await visit.form()
    name, affiliation = form.text("name", limit=60), form.text("affiliation", limit=200, needed=False)
    external = form.text("external", needed=False).splitlines()
    agreed, now, me = form.ticked("agreed"), visit.now, visit.me.id

    def action(connection: Connection) -> str:
        made = register(
            connection, track, name, now, agreed=agreed, external=external, affiliation=affiliation, owner=me
        )
        return made.id

    await visit.submit(form, action)
    return visit.redirect(f"/tracks/{track.name}", said="tracks.registered")


async def fetch_data(visit: Visit) -> Response:
    """Give a team the data of a phase that is open or over."""
    track = await track_at(visit)
    team, phase = await my_team(visit, track), _phase_at(visit, track)
    if not is_organiser(visit) and (team is None or team.state != "approved"):
        raise forbidden()
    if not is_organiser(visit) and phase_time(track, phase, visit.now) == "ahead":
        raise not_found()
    try:
        sha256 = await visit.read(input_file, track, phase, visit.at("name"))
    except UsageError as error:
        raise not_found() from error
    name = visit.at("name").rpartition("/")[2]
    return FileResponse(blobs_of(visit).path(sha256), media_type="application/octet-stream", filename=name)


async def track_at(visit: Visit) -> TrackDefinition:
    """Return the track that the path names. Raises `PageError` where there is none."""
    names = await visit.read(track_names)
    if visit.at("track") not in names:
        raise not_found()
    return await visit.read(find_track, visit.at("track"))


async def my_team(visit: Visit, track: TrackDefinition) -> Team | None:
    """Return the reader's team in a track."""
    if visit.person is None:
        return None
    return await visit.read(team_of, track.name, visit.person.id)


def is_organiser(visit: Visit) -> bool:
    """Tell whether the reader organises tracks."""
    return visit.person is not None and visit.person.may(ORGANISER)


def blobs_of(visit: Visit) -> Blobs:
    """Return the files of the site."""
    return open_blobs(visit.site.settings.workspace)


def in_language(visit: Visit, en: str, zh: str) -> str:
    """Return a text of the organiser in the reader's language, where there is one."""
    return zh if visit.language == "zh" and zh else en


def _figure(column: BoardColumn, names: dict[str, str]) -> IntervalFigure | None:
    """Return the figure of a phase, where all its scores are shown."""
    ranking = column.board["rank_by"] if column.board is not None else None
    rows = [
        (names.get(team, team), None, one)
        for team, cell in column.cells.items()
        for one in cell.scores
        if one["name"] == ranking
    ]
    return interval_figure(rows)


def _phase_at(visit: Visit, track: TrackDefinition) -> PhaseDefinition:
    try:
        return track.phase(visit.at("phase"))
    except UsageError as error:
        raise not_found() from error


def _tracks(connection: Connection) -> list[TrackDefinition]:
    return [find_track(connection, name) for name in track_names(connection)]


def _phases(
    connection: Connection, track: TrackDefinition, team: Team | None, now: int, *, organiser: bool
) -> list[ShownPhase]:
    found = []
    for phase in track.phases:
        time = phase_time(track, phase, now)
        may = organiser or (team is not None and team.state == "approved" and time != "ahead")
        files = file_names(connection, track.name, phase.name, "input") if may else []
        use = quota_use(connection, team.id, phase.name, day_of(now, track.zone)) if team else None
        found.append(
            ShownPhase(
                phase,
                time,
                opens_at(track, phase),
                closes_at(track, phase),
                tuple(quote(one) for one in files),
                use,
                use.left(phase.quota) if use else None,
            )
        )
    return found


AREA = Area("tracks", routes, (NavigationEntry("/tracks", "tracks.title"),))
