"""The job of scoring an entry: what goes to the child process, and what is kept of its outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import update

from duologue.arena.competition.board_request import ask_for_board
from duologue.arena.competition.entries import OPEN_STATES, SCORE_JOB, entries_of, find_entry
from duologue.arena.competition.entry_scorer import EntryOrder
from duologue.arena.competition.tables import entries, teams
from duologue.arena.competition.tracks import find_track, lay_out
from duologue.core.disk import write_scratch
from duologue.core.plugins import load_task

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

    from duologue.arena.competition.entries import TrackEntry
    from duologue.arena.database.blobs import Blobs
    from duologue.arena.jobs.job_queue import Job
    from duologue.arena.jobs.limited_process import ChildOutcome, JobLimits

_REPORT = "scored.report.json"


class EntryScoring:
    """Scores entries."""

    name = SCORE_JOB
    target = "duologue.arena.competition.entry_scorer:score_entry"

    def __init__(self, blobs: Blobs) -> None:
        self.blobs = blobs

    def begun(self, connection: Connection, job: Job, now: int) -> None:  # noqa: ARG002  # the form of `JobKind`
        """Note that an entry is being scored."""
        waits = (entries.c.id == job.subject) & (entries.c.state == "queued")
        connection.execute(update(entries).where(waits).values(state="running"))

    def prepare(self, connection: Connection, job: Job, folder: Path) -> tuple[dict[str, Any], JobLimits]:
        """Put the entry, the test set and the team's former report into a folder."""
        entry = find_entry(connection, job.subject)
        track = find_track(connection, entry.track)
        team = connection.execute(teams.select().where(teams.c.id == entry.team)).one().name
        files = lay_out(connection, self.blobs, track.name, entry.phase, folder / "track")
        file = folder / "entry" / entry.file_name
        write_scratch(file, self.blobs.read(entry.sha256))
        former = _former(connection, entry)
        if former is not None and former.report_sha256:
            write_scratch(folder / "former.report.json", self.blobs.read(former.report_sha256))
        order = EntryOrder(
            task=track.task,
            how=msgspec.to_builtins(track.scoring(load_task(track.task))),
            file=str(file),
            gold=tuple(files["gold"]),
            input=tuple(files["input"]),
            kb=next(iter(files["kb"]), ""),
            team=team,
            test_set=f"{track.name} {entry.phase}",
            former=str(folder / "former.report.json") if former is not None else "",
            report=str(folder / _REPORT),
        )
        return msgspec.to_builtins(order), track.limits.of_job()

    def settle(self, connection: Connection, job: Job, outcome: ChildOutcome, folder: Path | None, now: int) -> None:
        """Give the entry its state, with a reason, and its scores; then the phase needs a new board."""
        told = outcome.result or {"state": "failed", "reason": outcome.failed, "details": outcome.details}
        values = {name: told[name] for name in ("state", "reason", "details") if name in told}
        if told["state"] == "scored":
            assert folder is not None
            values["report_sha256"] = self.blobs.put((folder / _REPORT).read_bytes())
        for name in ("value", "summary", "problems", "problem_count"):
            if name in told:
                values[name] = told[name]
        its = (entries.c.id == job.subject) & entries.c.state.in_(OPEN_STATES)
        ended = connection.execute(update(entries).where(its).values(**values, ended_at=now)).rowcount
        if ended and told["state"] == "scored":
            entry = find_entry(connection, job.subject)
            ask_for_board(connection, entry.track, entry.phase, now)


def _former(connection: Connection, entry: TrackEntry) -> TrackEntry | None:
    """Return the team's last scored entry in the phase before this one."""
    found = [
        one
        for one in entries_of(connection, entry.track, team=entry.team, phase=entry.phase)
        if one.state == "scored" and (one.submitted_at, one.id) < (entry.submitted_at, entry.id)
    ]
    return found[-1] if found else None
