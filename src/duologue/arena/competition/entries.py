"""Entries: handed in, taken back, chosen; what a quota leaves; which of a team's counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import bindparam, func, insert, select, update

from duologue.arena.competition.board_request import ask_for_board
from duologue.arena.competition.phase_clock import day_of, open_phase, phase_time
from duologue.arena.competition.score_shapes import ranking_score
from duologue.arena.competition.tables import entries, teams
from duologue.arena.database.tables import new_id
from duologue.arena.jobs import job_queue as queue
from duologue.arena.people.audit import log
from duologue.core.decompression import shown
from duologue.core.errors import DuologueError, UsageError
from duologue.core.escapes import last_part, one_line

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row

    from duologue.arena.competition.score_shapes import EntrySummary, KeptScore
    from duologue.arena.competition.teams import Team
    from duologue.arena.competition.track_file import PhaseDefinition, PhaseQuota, TrackDefinition
    from duologue.arena.database.blobs import Blobs

SCORE_JOB = "score-entry"
OPEN_STATES = ("queued", "running")
MAX_A_DAY = 200
"""Files that a team hands in on one day at most, or twice the quota of a day where that is more: those that are taken
back cost no quota, and space all the same."""
_OF_TEAM = entries.c.team == bindparam("team")
_USED = (
    select(entries.c.state, entries.c.day, func.count())
    .where(_OF_TEAM, entries.c.phase == bindparam("phase"), entries.c.moved_from == "")
    .where(entries.c.state.in_(("scored", *OPEN_STATES)))
    .group_by(entries.c.state, entries.c.day)
)
_ON_DAY = select(func.count()).select_from(entries).where(_OF_TEAM, entries.c.day == bindparam("on"))
_LAST = select(func.max(entries.c.submitted_at)).where(_OF_TEAM)
_STATE_OF_TEAM = select(teams.c.state).where(teams.c.id == bindparam("team"))


class EntryRefusedError(DuologueError):
    """An entry is not taken: the phase is not open, the quota is used up, the file is too large."""


class TrackEntry(NamedTuple):
    """An entry of a team."""

    id: str
    track: str
    team: str
    phase: str
    name: str
    """Of the file that was handed in."""
    note: str
    size: int
    sha256: str
    state: str
    """One of `tables.ENTRY_STATES`."""
    reason: str
    """Why it ended as it did, for the team."""
    details: str
    """The same for the organiser: it may speak of the truth."""
    problems: list[dict[str, Any]]
    """What the check says."""
    problem_count: int
    day: str
    """The calendar day, in the track's zone, whose quota it counts for."""
    moved_from: str
    """The entry of an earlier phase that it is the same file as; empty where a team handed it in here."""
    chosen: bool
    value: float | None
    """The score that ranks."""
    report_sha256: str | None
    summary: EntrySummary | None
    """Its scores and slices, and the difference from the team's former entry, as the team may see them."""
    submitted_at: int
    ended_at: int | None

    @property
    def ranking(self) -> KeptScore | None:
        """The score that ranks, as the summary has it; `None` where it was not scored. Raises `StorageError`."""
        if self.summary is None:
            return None
        return ranking_score(self.summary["scores"], self.summary["rank_by"])

    @property
    def percent(self) -> bool:
        """Whether the score that ranks is a fraction, which is printed in percent."""
        return self.ranking is not None and self.ranking["percent"]

    @property
    def file_name(self) -> str:
        """What the file can be called in a folder."""
        return last_part(self.name).lstrip(".") or "entry"


class QuotaUse(NamedTuple):
    """What a team has used of a phase's quota: entries that were scored, and those that still may be."""

    scored_today: int
    open_today: int
    scored: int
    open: int

    def left(self, quota: PhaseQuota) -> int | None:
        """Return how many more entries may be handed in today; `None`: any number."""
        rests = []
        if quota.day is not None:
            rests.append(quota.day - self.scored_today - self.open_today)
        if quota.total is not None:
            rests.append(quota.total - self.scored - self.open)
        return max(min(rests), 0) if rests else None


def quota_use(connection: Connection, team: str, phase: str, day: str) -> QuotaUse:
    """Return what a team has used of a phase's quota; entries that moved in by themselves are free."""
    found = [0, 0, 0, 0]
    for state, its_day, count in connection.execute(_USED, {"team": team, "phase": phase}):
        ended = state == "scored"
        found[2 if ended else 3] += count
        if its_day == day:
            found[0 if ended else 1] += count
    return QuotaUse(*found)


def submit(
    connection: Connection,
    blobs: Blobs,
    track: TrackDefinition,
    team: Team,
    name: str,
    data: bytes,
    now: int,
    *,
    phase: str | None = None,
    note: str = "",
) -> TrackEntry:
    """Take an entry and queue its scoring; into the phase that is open where none is named.

    Raises `EntryRefusedError` where the team may not hand in, the phase is not open, the quota is used up or the file
    is too large, and `UsageError` for a phase that there is not.
    """
    state = connection.execute(_STATE_OF_TEAM, {"team": team.id}).scalar()  # not as it was read
    if state != "approved":
        waits = "waits for the organiser's approval" if state == "pending" else "was refused by the organiser"
        raise EntryRefusedError(f"the team '{team.name}' {waits}; it cannot hand in yet")
    chosen = _phase_for(track, phase, now)
    if len(data) > track.limits.max_bytes:
        room = shown(track.limits.max_bytes)
        raise EntryRefusedError(f"the file has {shown(len(data))}; this track takes at most {room}: pack it, as .zip")
    if not data:
        raise EntryRefusedError("the file is empty; choose the result file, or a .zip of the folder")
    day = day_of(now, track.zone)
    use = quota_use(connection, team.id, chosen.name, day)
    if use.left(chosen.quota) == 0:
        raise EntryRefusedError(_used_up(chosen, use, day, track.zone))
    limit = max(MAX_A_DAY, 2 * (chosen.quota.day or 0))
    if connection.execute(_ON_DAY, {"team": team.id, "on": day}).scalar_one() >= limit:
        raise EntryRefusedError(
            f"your team has handed in {limit} files on {day}, whatever became of them, and no more are taken that "
            f"day; the next day begins at midnight ({track.zone})"
        )
    last = connection.execute(_LAST, {"team": team.id}).scalar()
    made = _row(track.name, team.id, chosen.name, max(now, (last or 0) + 1), day)  # so that one is the last
    made |= {"name": last_part(name) or "entry", "note": one_line(" ".join(note.split()))[:200]}
    made |= {"size": len(data), "sha256": blobs.put(data)}
    connection.execute(insert(entries).values(**made))
    queue.enqueue(connection, SCORE_JOB, made["id"], made["submitted_at"])
    return find_entry(connection, made["id"])


def move(connection: Connection, track: TrackDefinition, entry: TrackEntry, phase: PhaseDefinition, now: int) -> str:
    """Enter the file of an entry into a later phase, free of its quota, and return the new entry's id."""
    made = _row(track.name, entry.team, phase.name, now, day_of(now, track.zone))
    made |= {"name": entry.name, "note": entry.note, "size": entry.size, "sha256": entry.sha256}
    connection.execute(insert(entries).values(**made | {"moved_from": entry.id}))
    queue.enqueue(connection, SCORE_JOB, made["id"], now)
    return str(made["id"])


def cancel(connection: Connection, entry: str, now: int) -> bool:
    """Take an entry back that waits or is being scored; it costs nothing. `False` where it has ended already."""
    open_ = (entries.c.id == entry) & entries.c.state.in_(OPEN_STATES)
    ended = {"state": "cancelled", "reason": "taken back by the team", "ended_at": now}
    if not connection.execute(update(entries).where(open_).values(**ended)).rowcount:
        return False
    queue.cancel(connection, entry, now)
    return True


def choose(
    connection: Connection, track: TrackDefinition, entry: TrackEntry, now: int, *, by: str | None = None
) -> None:
    """Let an entry be the one that counts for its team in its phase, and log who did.

    Raises `EntryRefusedError` where the last entry counts, the phase is over, or the entry has no score.
    """
    if track.standing != "chosen":
        raise EntryRefusedError("in this track the last scored entry of a team counts; none is chosen")
    if phase_time(track, track.phase(entry.phase), now) == "over":
        raise EntryRefusedError(f"the phase '{entry.phase}' is over; what counts was settled then")
    if entry.state != "scored":
        raise EntryRefusedError("only an entry that was scored can be chosen")
    its = (entries.c.team == entry.team) & (entries.c.phase == entry.phase)
    connection.execute(update(entries).where(its).values(chosen=entries.c.id == entry.id))
    log(connection, by, "entry.choose", now=now, about=entry.id)
    ask_for_board(connection, track.name, entry.phase, now)


def find_entry(connection: Connection, entry: str) -> TrackEntry:
    """Return an entry by its id. Raises `UsageError` where there is none."""
    row = connection.execute(select(entries).where(entries.c.id == entry)).first()
    if row is None:
        raise UsageError(f"there is no entry '{entry}'")
    return _entry(row)


def entries_of(
    connection: Connection, track: str, *, team: str | None = None, phase: str | None = None
) -> list[TrackEntry]:
    """Return the entries of a track, a team or a phase, the oldest first."""
    wanted = select(entries).where(entries.c.track == track)
    if team is not None:
        wanted = wanted.where(entries.c.team == team)
    if phase is not None:
        wanted = wanted.where(entries.c.phase == phase)
    return [_entry(row) for row in connection.execute(wanted.order_by(entries.c.submitted_at, entries.c.id))]


def standing_entries(connection: Connection, track: TrackDefinition, phase: str) -> dict[str, TrackEntry]:
    """Return by team the scored entry that counts in a phase: the chosen one, else the last; of refused teams none."""
    found: dict[str, TrackEntry] = {}
    refused = set(connection.execute(select(teams.c.id).where(teams.c.state == "refused")).scalars())
    for entry in entries_of(connection, track.name, phase=phase):
        if entry.state != "scored" or entry.team in refused:
            continue
        before = found.get(entry.team)
        if before is None or entry.chosen or not before.chosen or track.standing == "last":
            found[entry.team] = entry
    return found


def _phase_for(track: TrackDefinition, name: str | None, now: int) -> PhaseDefinition:
    if name is None:
        found = open_phase(track, now)
        if found is None:
            raise EntryRefusedError(f"no phase of track '{track.name}' takes entries now; look at its dates")
        return found
    phase = track.phase(name)
    if phase.kind != "results":
        raise EntryRefusedError(f"the phase '{name}' is rated by people; no files are handed in")
    if (time := phase_time(track, phase, now)) != "open":
        told = f"opens at {phase.opens}" if time == "ahead" else f"closed at {phase.closes}"
        raise EntryRefusedError(f"the phase '{name}' is not open: it {told} ({track.zone})")
    return phase


def _used_up(phase: PhaseDefinition, use: QuotaUse, day: str, zone: str) -> str:
    quota = phase.quota
    waits = f", and {use.open} are not ended yet" if use.open else ""
    if quota.total is not None and use.scored + use.open >= quota.total:
        return f"the quota of the phase '{phase.name}' is used up: {use.scored} of {quota.total} entries{waits}"
    return (
        f"the quota of {quota.day} a day is used up: {use.scored_today} entries were scored on {day}{waits}; "
        f"the next day begins at midnight ({zone})"
    )


def _row(track: str, team: str, phase: str, now: int, day: str) -> dict[str, Any]:
    fixed = {"state": "queued", "reason": "", "details": "", "problems": [], "problem_count": 0, "chosen": False}
    return fixed | {
        "id": new_id(),
        "track": track,
        "team": team,
        "phase": phase,
        "submitted_at": now,
        "day": day,
        "moved_from": "",
    }


def _entry(row: Row[Any]) -> TrackEntry:
    return TrackEntry(**{name: getattr(row, name) for name in TrackEntry._fields})
