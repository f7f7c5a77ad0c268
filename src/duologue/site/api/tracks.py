"""Tracks over the API: what there is, handing in, entries, the board."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from duologue.arena.campaigns.campaign import find_campaign
from duologue.arena.competition import entries as competition
from duologue.arena.competition.entries import entries_of
from duologue.arena.competition.entry_report import report_of
from duologue.arena.competition.entry_view import board_to_json, entry_to_json, track_to_json
from duologue.arena.competition.phase_clock import visibility
from duologue.arena.competition.track_archive import read_archive
from duologue.arena.competition.track_board import Viewer, board_for
from duologue.arena.competition.tracks import find_track, save_track, track_names
from duologue.arena.finals.final_campaign import campaigns_of, link_campaign
from duologue.arena.finals.final_results import take_results
from duologue.core.errors import UsageError
from duologue.core.records import Record
from duologue.site.api.operation import Operation, QueryParameter
from duologue.site.page_error import forbidden, not_found
from duologue.site.pages.campaign_start import MAX_ITEMS, MAX_RATERS
from duologue.site.pages.entries import may_have_report
from duologue.site.pages.track_finals import start_final
from duologue.site.pages.track_office import phase_at
from duologue.site.pages.tracks import (
    ORGANISER,
    PARTICIPANTS,
    blobs_of,
    fetch_data,
    is_organiser,
    my_team,
    track_at,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.competition.entries import TrackEntry
    from duologue.arena.competition.track_file import TrackDefinition
    from duologue.site.api.operation import OperationCall

Told = dict[str, Any]


class NewFinal(Record, frozen=True, kw_only=True):
    """What people rate of the finalists, or which campaign does it already."""

    n: Annotated[int, Meta(ge=1, le=MAX_ITEMS)] | None = None
    per_item: Annotated[int, Meta(ge=1, le=MAX_RATERS)] | None = None
    campaign: str = ""
    """A campaign to be linked, instead of a new one."""


def operations() -> list[Operation]:
    """Return the operations."""
    mine = partial(Operation, gives=Told, roles=PARTICIPANTS)
    ours = partial(Operation, gives=Told, roles=(ORGANISER,))
    final = "/tracks/{track}/phases/{phase}"
    return [
        Operation("GET", "/tracks", "All tracks with their phases", all_tracks, gives=Told),
        ours(
            "POST", "/new-track/upload", "Open a track by its archive", open_track, takes=bytes,
            asks=(QueryParameter("change", "`1` changes a track that there is."),),
        ),
        ours("POST", f"{final}/campaign", "Start the campaign that rates a final", rate_final, takes=NewFinal),
        ours("POST", f"{final}/ratings", "Put what its campaign says onto the board", take_ratings),
        Operation("GET", "/tracks/{track}", "A track with its phases", one_track, gives=Told),
        Operation("GET", "/tracks/{track}/board", "The board, as you may see it", board, gives=Told),
        mine("GET", "/tracks/{track}/entries", "Your team's entries", my_entries),
        mine(
            "POST", "/tracks/{track}/upload", "Hand a file in, as it is", upload, takes=bytes,
            asks=(
                QueryParameter("name", "What the file is called."),
                QueryParameter("phase", "The phase; left out: the one that is open."),
                QueryParameter("note", "A word for yourself."),
            ),
        ),
        mine("GET", "/entries/{id}", "What became of an entry", one_entry),
        Operation("GET", "/entries/{id}/report", "The full report of an entry, for `duologue verify`", one_report),
        mine("POST", "/entries/{id}/cancel", "Take an entry back that has not ended", take_back),
        mine("POST", "/entries/{id}/choose", "Let an entry be the one that counts", choose),
        Operation(
            "GET", "/tracks/{track}/data/{phase}/{name:path}", "A file of a phase's data", fetch_data,
            roles=PARTICIPANTS,
        ),
    ]  # fmt: skip


async def all_tracks(call: OperationCall) -> Told:
    """Return all tracks."""

    def read(connection: Connection) -> list[Told]:
        return [track_to_json(find_track(connection, name), call.now) for name in track_names(connection)]

    return {"tracks": await call.read(read)}


async def one_track(call: OperationCall) -> Told:
    """Return a track."""
    return track_to_json(await track_at(call), call.now)


async def board(call: OperationCall) -> Told:
    """Return the board of a track."""
    track = await track_at(call)
    team = await my_team(call, track)
    viewer = Viewer(is_organiser(call), team.id if team else "")
    return board_to_json(await call.read(board_for, track, viewer, call.now))


async def open_track(call: OperationCall) -> Told:
    """Open a track from its archive, or change one."""
    blobs, now, me = blobs_of(call), call.now, call.me.id
    source = await run_in_threadpool(read_archive, await call.request.body())
    change = call.asked("change") == "1"

    await call.write(lambda connection: save_track(connection, blobs, source, now, change=change, by=me))
    return track_to_json(source.definition, now)


async def rate_final(call: OperationCall) -> Told:
    """Start the campaign of a final, or link one."""
    track, wanted = await track_at(call), call.body
    phase = phase_at(call, track)
    if (wanted.n is None) == (wanted.campaign == ""):
        raise UsageError("give n to start a campaign, or campaign with the id of one that there is")
    if wanted.n is not None:
        return {"campaign": await start_final(call, track, phase, wanted.n, wanted.per_item, nonce=call.nonce)}
    campaign, now, me = await call.read(find_campaign, wanted.campaign), call.now, call.me.id
    await call.write(lambda connection: link_campaign(connection, campaign, track, phase, now=now, by=me))
    return {"campaign": campaign.id}


async def take_ratings(call: OperationCall) -> Told:
    """Put what the campaign of a final says so far onto the board."""
    track = await track_at(call)
    phase = phase_at(call, track)
    known = await call.read(campaigns_of, track.name, phase.name)
    if not known:
        raise UsageError(f"no campaign rates the phase '{phase.name}'")
    database, blobs, me = call.database, blobs_of(call), call.me.id
    return {"teams": await run_in_threadpool(take_results, database, blobs, known[0], by=me, nonce=call.nonce)}


async def my_entries(call: OperationCall) -> Told:
    """Return the entries of the caller's team."""
    track = await track_at(call)
    team = await my_team(call, track)
    found = await call.read(entries_of, track.name, team=team.id) if team else []
    return {"entries": [_told(call, track, one) for one in found]}


async def upload(call: OperationCall) -> Told:
    """Take a file for the caller's team."""
    track = await track_at(call)
    team = await my_team(call, track)
    if team is None:
        raise forbidden()
    data, blobs, now = await call.request.body(), blobs_of(call), call.now
    name, phase, note = call.asked("name", "entry"), call.asked("phase") or None, call.asked("note")

    def action(connection: Connection) -> str:
        return competition.submit(connection, blobs, track, team, name, data, now, phase=phase, note=note).id

    entry = await call.write(action)
    return _told(call, track, await call.read(competition.find_entry, entry))


async def one_entry(call: OperationCall) -> Told:
    """Return an entry of the caller's team."""
    return _told(call, *await _entry_at(call))


async def one_report(call: OperationCall) -> Response:
    """Return the report of an entry to whoever may have it now."""
    try:
        entry = await call.read(competition.find_entry, call.at("id"))
    except UsageError as error:
        raise not_found() from error
    if not await may_have_report(call, entry):
        raise not_found()
    return Response(await run_in_threadpool(report_of, blobs_of(call), entry), media_type="application/json")


async def take_back(call: OperationCall) -> Told:
    """Cancel an entry."""
    track, entry = await _entry_at(call)
    now = call.now
    if not await call.write(lambda connection: competition.cancel(connection, entry.id, now)):
        raise UsageError(f"the entry '{entry.id}' has ended already; it cannot be taken back")
    return _told(call, track, await call.read(competition.find_entry, entry.id))


async def choose(call: OperationCall) -> Told:
    """Let an entry count."""
    track, entry = await _entry_at(call)
    now, me = call.now, call.me.id
    await call.write(lambda connection: competition.choose(connection, track, entry, now, by=me))
    return _told(call, track, await call.read(competition.find_entry, entry.id))


async def _entry_at(call: OperationCall) -> tuple[TrackDefinition, TrackEntry]:
    try:
        entry = await call.read(competition.find_entry, call.at("id"))
    except UsageError as error:
        raise not_found() from error
    track = await call.read(find_track, entry.track)
    team = await my_team(call, track)
    if not is_organiser(call) and (team is None or team.id != entry.team):
        raise not_found()
    return track, entry


def _told(call: OperationCall, track: TrackDefinition, entry: TrackEntry) -> Told:
    seen = visibility(track, track.phase(entry.phase), call.now) != "organiser"
    return entry_to_json(entry, organiser=is_organiser(call), scores=seen)
