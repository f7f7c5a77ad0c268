"""Tracks over the API: what there is, handing in, entries, the board."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from duologue.arena.competition import entries as competition
from duologue.arena.competition.entries import entries_of
from duologue.arena.competition.entry_view import board_to_json, entry_to_json, track_to_json
from duologue.arena.competition.phase_clock import visibility
from duologue.arena.competition.track_board import Viewer, board_for
from duologue.arena.competition.tracks import find_track, track_names
from duologue.core.errors import UsageError
from duologue.site.api.operation import Operation
from duologue.site.page_error import forbidden, not_found
from duologue.site.pages.tracks import PARTICIPANTS, blobs_of, is_organiser, my_team, track_at

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.competition.entries import TrackEntry
    from duologue.arena.competition.track_file import TrackDefinition
    from duologue.site.api.operation import OperationCall
    from duologue.site.site import Site

Told = dict[str, Any]


def operations(site: Site) -> list[Operation]:  # noqa: ARG001  # the form of all areas
    """Return the operations."""
    mine = partial(Operation, gives=Told, roles=PARTICIPANTS)
    return [
        Operation("GET", "/tracks", "All tracks with their phases", all_tracks, gives=Told),
        Operation("GET", "/tracks/{track}", "A track with its phases", one_track, gives=Told),
        Operation("GET", "/tracks/{track}/board", "The board, as you may see it", board, gives=Told),
        mine("GET", "/tracks/{track}/entries", "Your team's entries", my_entries),
        mine("POST", "/tracks/{track}/upload", "Hand a file in: its bytes; ?name=, ?phase=, ?note=", upload),
        mine("GET", "/entries/{id}", "What became of an entry", one_entry),
        mine("POST", "/entries/{id}/cancel", "Take an entry back that has not ended", take_back),
    ]


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


async def take_back(call: OperationCall) -> Told:
    """Cancel an entry."""
    track, entry = await _entry_at(call)
    now = call.now
    if not await call.write(lambda connection: competition.cancel(connection, entry.id, now)):
        raise UsageError(f"the entry '{entry.id}' has ended already; it cannot be taken back")
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
