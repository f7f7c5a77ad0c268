"""Entries: handing in, what came of it with every problem where it stands, taking back, choosing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from duologue.arena.competition import entries as competition
from duologue.arena.competition.entries import OPEN_STATES, entries_of, quota_use
from duologue.arena.competition.entry_file import EntryRows, rows_around
from duologue.arena.competition.entry_report import may_fetch, report_name, report_of
from duologue.arena.competition.phase_clock import day_of, open_phase, phase_time, visibility
from duologue.arena.competition.tracks import find_track
from duologue.core.errors import UsageError
from duologue.site.area import Area, open_route, route
from duologue.site.interval_figure import history_figure
from duologue.site.page_error import forbidden, not_found
from duologue.site.pages.tracks import PARTICIPANTS, blobs_of, is_organiser, my_team, track_at

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlalchemy import Connection
    from starlette.routing import Route

    from duologue.arena.competition.entries import TrackEntry
    from duologue.arena.competition.teams import Team
    from duologue.arena.competition.track_file import PhaseDefinition, TrackDefinition
    from duologue.site.interval_figure import IntervalFigure
    from duologue.site.visit import Visit

_MAX_SHOWN = 200
"""Problems on a page; the others are counted."""
_LONGEST_NAME = 1000
"""Characters of the name of a file in an archive."""


class ShownEntry(NamedTuple):
    """An entry as its reader may see it."""

    entry: TrackEntry
    track: TrackDefinition
    organiser: bool
    scores: bool
    """Whether the phase lets the reader see its scores now."""
    ended: bool
    can_choose: bool


class LocatedProblem(NamedTuple):
    """A problem of a file, and where the file shows it."""

    problem: dict[str, Any]
    query: str
    """Of the page that shows the row; empty where there is none."""


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        route("/tracks/{track}/entries", show_entries, *PARTICIPANTS),
        route("/tracks/{track}/upload", take_entry, *PARTICIPANTS, methods=("POST",)),
        route("/entries/{id}", show_entry, *PARTICIPANTS),
        route("/entries/{id}/state", show_state, *PARTICIPANTS),
        route("/entries/{id}/file", show_file, *PARTICIPANTS),
        open_route("/entries/{id}/report", fetch_report),
        route("/entries/{id}/cancel", take_back, *PARTICIPANTS, methods=("POST",)),
        route("/entries/{id}/choose", choose, *PARTICIPANTS, methods=("POST",)),
    ]


async def show_entries(visit: Visit) -> Response:
    """Show my team's entries with the form to hand in."""
    track = await track_at(visit)
    team = await my_team(visit, track)
    if team is None:
        return visit.redirect(f"/tracks/{track.name}/register")
    phase = open_phase(track, visit.now)
    found = await visit.read(entries_of, track.name, team=team.id)
    use = await visit.read(quota_use, team.id, phase.name, day_of(visit.now, track.zone)) if phase else None
    return visit.page(
        "tracks/entries.html",
        title=visit.t("tracks.mine"),
        track=track,
        team=team,
        phase=phase,
        left=use.left(phase.quota) if use and phase else None,
        use=use,
        handed_in=[_shown(visit, track, one) for one in reversed(found)],
        histories=[(one, figure) for one in track.phases if (figure := _history(visit, track, one, found))],
    )


async def take_entry(visit: Visit) -> Response:
    """Take a file, and lead on to what becomes of it."""
    track = await track_at(visit)
    team, form = await my_team(visit, track), await visit.form()
    if team is None:
        raise forbidden()
    file, note, now = form.file("file"), form.text("note", limit=200, needed=False), visit.now
    data, blobs = await file.read(track.limits.max_bytes + 1), blobs_of(visit)
    await file.close()

    def action(connection: Connection) -> str:
        its: Team = team
        return competition.submit(connection, blobs, track, its, file.filename or "entry", data, now, note=note).id

    entry = await visit.submit(form, action)
    return visit.redirect(f"/entries/{entry}", said="tracks.handed_in")


async def show_entry(visit: Visit) -> Response:
    """Show what became of an entry."""
    shown = await _entry_at(visit)
    path = blobs_of(visit).path(shown.entry.sha256)
    problems = await run_in_threadpool(_by_rule, path, shown.entry.problems[:_MAX_SHOWN])
    title = visit.t("tracks.entry_of", name=shown.entry.name)
    return visit.page(
        "tracks/entry.html",
        title=title,
        shown=shown,
        entry=shown.entry,
        problems=problems,
        report=await may_have_report(visit, shown.entry),
    )


async def show_state(visit: Visit) -> Response:
    """Show the state alone, for the page that asks again and again; when it has ended, the page is loaded anew."""
    shown = await _entry_at(visit)
    answer = visit.page("tracks/state.html", title="", shown=shown, entry=shown.entry)
    if shown.ended:
        answer.headers["HX-Refresh"] = "true"
    return answer


async def show_file(visit: Visit) -> Response:
    """Show the rows of a file around the one that a problem is in."""
    shown = await _entry_at(visit)
    path, file = blobs_of(visit).path(shown.entry.sha256), visit.asked("name", limit=_LONGEST_NAME)
    rows = await run_in_threadpool(lambda: EntryRows(path).rows(file))
    at = visit.asked("row", "1", limit=9)
    if rows is None or not (at.isascii() and at.isdigit() and 1 <= int(at) <= max(len(rows), 1)):
        raise not_found()
    title = visit.t("tracks.file_of", name=f"{shown.entry.name}: {file}" if file else shown.entry.name)
    around = rows_around(rows, int(at))
    return visit.page("tracks/file.html", title=title, shown=shown, entry=shown.entry, rows=around, at=int(at))


async def fetch_report(visit: Visit) -> Response:
    """Give the full report of an entry to whoever may have it now."""
    try:
        entry = await visit.read(competition.find_entry, visit.at("id"))
    except UsageError as error:
        raise not_found() from error
    if not await may_have_report(visit, entry):
        raise not_found()
    body = await run_in_threadpool(report_of, blobs_of(visit), entry)
    head = {"Content-Disposition": f'attachment; filename="{report_name(entry)}"'}
    return Response(body, media_type="application/json", headers=head)


async def may_have_report(visit: Visit, entry: TrackEntry) -> bool:
    """Tell whether the reader may fetch the report of an entry that has one."""
    track = await visit.read(find_track, entry.track)
    team = await my_team(visit, track)
    own, organiser = team is not None and team.id == entry.team, is_organiser(visit)
    may = may_fetch(track, track.phase(entry.phase), visit.now, organiser=organiser, own=own)
    return may and entry.report_sha256 is not None


async def take_back(visit: Visit) -> Response:
    """Take an entry back that has not ended."""
    shown, form = await _entry_at(visit), await visit.form()
    now, entry = visit.now, shown.entry.id
    done = await visit.submit(form, lambda connection: competition.cancel(connection, entry, now))
    return visit.redirect(f"/entries/{entry}", said="tracks.taken_back" if done else "tracks.too_late")


async def choose(visit: Visit) -> Response:
    """Let an entry be the one that counts."""
    shown, form = await _entry_at(visit), await visit.form()
    now, me = visit.now, visit.me.id
    await visit.submit(form, lambda connection: competition.choose(connection, shown.track, shown.entry, now, by=me))
    return visit.redirect(f"/entries/{shown.entry.id}", said="tracks.chosen_now")


async def _entry_at(visit: Visit) -> ShownEntry:
    """Return the entry that the path names, for its team and the organiser alone."""
    try:
        entry = await visit.read(competition.find_entry, visit.at("id"))
    except UsageError as error:
        raise not_found() from error
    track = await visit.read(find_track, entry.track)
    team = await my_team(visit, track)
    if not is_organiser(visit) and (team is None or team.id != entry.team):
        raise not_found()
    return _shown(visit, track, entry)


def _history(
    visit: Visit, track: TrackDefinition, phase: PhaseDefinition, found: Sequence[TrackEntry]
) -> IntervalFigure | None:
    """Return the figure of a team's entries in a phase, where it may see its scores."""
    if visibility(track, phase, visit.now) == "organiser" and not is_organiser(visit):
        return None
    return history_figure([one for one in found if one.phase == phase.name])


def _by_rule(path: Path, problems: list[dict[str, Any]]) -> list[tuple[str, list[LocatedProblem]]]:
    """Return the problems of a file by the rule that they break, in the order in which the rules come up."""
    places = EntryRows(path).places([one["place"] for one in problems]) if problems else []
    found: dict[str, list[LocatedProblem]] = {}
    for one, place in zip(problems, places, strict=True):
        query = {"row": place.row} | ({"name": place.file} if place.file else {}) if place is not None else {}
        found.setdefault(one["rule"], []).append(LocatedProblem(one, urlencode(query)))
    return list(found.items())


def _shown(visit: Visit, track: TrackDefinition, entry: TrackEntry) -> ShownEntry:
    phase, organiser = track.phase(entry.phase), is_organiser(visit)
    scores = organiser or visibility(track, phase, visit.now) != "organiser"
    open_now = phase_time(track, phase, visit.now) != "over"
    can_choose = track.standing == "chosen" and entry.state == "scored" and not entry.chosen and open_now
    return ShownEntry(entry, track, organiser, scores, entry.state not in OPEN_STATES, can_choose)


AREA = Area("entries", routes)
