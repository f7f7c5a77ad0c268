"""What the clock brings: entries move into the next phase, and the first of a phase into the final by people."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import insert, select, update

from duologue.arena.competition.entries import OPEN_STATES, entries_of, move, standing_entries
from duologue.arena.competition.phase_clock import phase_time
from duologue.arena.competition.tables import finalists, phase_moves, team_ratings, teams
from duologue.arena.competition.tracks import find_track, track_names
from duologue.arena.people.audit import log
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

    from duologue.arena.competition.entries import TrackEntry
    from duologue.arena.competition.track_file import PhaseDefinition, TrackDefinition

EVERY = 5_000
"""Milliseconds between two looks at the clock of all tracks."""


class Finalist(NamedTuple):
    """A team in a phase of human evaluation."""

    team: str
    """Its id."""
    name: str
    entry: str
    place: int
    """By the automatic score; equals share it."""
    selected: bool


class PhaseChore:
    """Moves entries when their time has come; a worker calls it at each look at its queue."""

    def __init__(self) -> None:
        self._last = 0

    def __call__(self, connection: Connection, now: int) -> None:
        """Look at all tracks, unless that was done a moment ago."""
        if 0 <= now - self._last < EVERY:
            return
        self._last = now
        for name in track_names(connection):
            advance(connection, find_track(connection, name), now)


def advance(
    connection: Connection, track: TrackDefinition, now: int, *, early: str = "", by: str | None = None
) -> list[str]:
    """Move what is to move, and return the phases that entries moved into.

    A phase gets its entries when the phase before is over and all entries there have ended; `early` names a phase that
    the organiser fills before that; `by` whom goes into the audit log. Doing it twice does nothing.
    """
    filled = []
    moved = set(connection.execute(select(phase_moves.c.phase).where(phase_moves.c.track == track.name)).scalars())
    for phase in track.phases:
        if not phase.takes_entries or phase.name in moved:
            continue
        before = track.before(phase)
        if phase.name != early and phase_time(track, before, now) != "over":
            continue
        if any(one.state in OPEN_STATES for one in entries_of(connection, track.name, phase=before.name)):
            continue
        _fill(connection, track, phase, now)
        connection.execute(insert(phase_moves).values(track=track.name, phase=phase.name, moved_at=now))
        log(connection, by, "phase.fill", now=now, about=track.name, phase=phase.name)
        filled.append(phase.name)
    return filled


def _fill(connection: Connection, track: TrackDefinition, phase: PhaseDefinition, now: int) -> None:
    for place, entry in first_of(connection, track, track.before(phase), phase.top):
        if phase.kind == "results":
            move(connection, track, entry, phase, now)
            continue
        row = {"track": track.name, "phase": phase.name, "team": entry.team, "entry": entry.id}
        connection.execute(insert(finalists).values(**row, place=place, selected=phase.select is None))


def first_of(
    connection: Connection, track: TrackDefinition, phase: PhaseDefinition, top: int | None
) -> list[tuple[int, TrackEntry]]:
    """Return the first `top` entries that count in a phase with their places; equals share a place and come together.

    Of a phase that people rated these are the entries of the selected teams.
    """
    if phase.kind == "human":
        chosen = {one.team: one for one in finalists_of(connection, track.name, phase.name) if one.selected}
        found = [one for one in entries_of(connection, track.name) if one.id in {it.entry for it in chosen.values()}]
        return sorted(((chosen[one.team].place, one) for one in found), key=lambda one: (one[0], one[1].team))
    found = list(standing_entries(connection, track, phase.name).values())

    def better_first(entry: TrackEntry) -> float:
        up = entry.summary is None or entry.summary["higher_is_better"]
        value = entry.value or 0.0
        return -value if up else value

    ordered = sorted(found, key=lambda one: (better_first(one), one.team))
    values = [better_first(one) for one in ordered]
    placed = [(values.index(value) + 1, entry) for value, entry in zip(values, ordered, strict=True)]
    return [one for one in placed if top is None or one[0] <= top]


def finalists_of(connection: Connection, track: str, phase: str) -> list[Finalist]:
    """Return the teams in a phase of human evaluation, by place."""
    joined = select(finalists, teams.c.name).join(teams, teams.c.id == finalists.c.team)
    wanted = joined.where(finalists.c.track == track, finalists.c.phase == phase)
    rows = connection.execute(wanted.order_by(finalists.c.place, teams.c.name)).all()
    return [Finalist(row.team, row.name, row.entry, row.place, row.selected) for row in rows]


def proposed(connection: Connection, track: TrackDefinition, phase: PhaseDefinition) -> list[str]:
    """Return the ids of the finalists that the ratings of people put first: `select` of them, and their equals."""
    ranks = {
        row.team: row.rank_best
        for row in connection.execute(
            select(team_ratings).where(
                team_ratings.c.track == track.name,
                team_ratings.c.phase == phase.name,
                team_ratings.c.source == "human",
            )
        )
    }
    values = sorted(
        (ranks[one.team], one.team) for one in finalists_of(connection, track.name, phase.name) if one.team in ranks
    )
    limit = phase.select
    if limit is None or len(values) <= limit:
        return [team for _, team in values]
    return [team for rank, team in values if rank <= values[limit - 1][0]]


def select_finalists(
    connection: Connection,
    track: TrackDefinition,
    phase: PhaseDefinition,
    chosen: Collection[str],
    *,
    now: int,
    by: str | None,
) -> int:
    """Note which finalists the organiser selects in the end, log who did, and return how many.

    Raises `UsageError` for a team that is no finalist.
    """
    known = {one.team for one in finalists_of(connection, track.name, phase.name)}
    if strangers := sorted(set(chosen) - known):
        raise UsageError(f"'{strangers[0]}' is not in the final '{phase.name}' of track '{track.name}'")
    its = (finalists.c.track == track.name) & (finalists.c.phase == phase.name)
    connection.execute(update(finalists).where(its).values(selected=finalists.c.team.in_(sorted(chosen))))
    log(connection, by, "final.select", now=now, about=track.name, phase=phase.name, teams=sorted(chosen))
    return len(chosen)
