"""The job of ranking a phase: asked for whenever what counts in it changes, and computed once for many changes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import delete, insert

from duologue.arena.competition.board_request import RANK_JOB
from duologue.arena.competition.entries import standing_entries
from duologue.arena.competition.phase_ranker import RankOrder
from duologue.arena.competition.tables import phase_boards
from duologue.arena.competition.tracks import find_track
from duologue.arena.jobs.limited_process import JobLimits
from duologue.core.disk import write_scratch

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

    from duologue.arena.database.blobs import Blobs
    from duologue.arena.jobs.job_queue import Job
    from duologue.arena.jobs.limited_process import ChildOutcome

_PAGE = "page.html"
_log = logging.getLogger(__name__)


class PhaseRanking:
    """Ranks phases."""

    name = RANK_JOB
    target = "duologue.arena.competition.phase_ranker:rank_phase"

    def __init__(self, blobs: Blobs) -> None:
        self.blobs = blobs

    def begun(self, connection: Connection, job: Job, now: int) -> None:
        """Nothing is noted."""

    def prepare(self, connection: Connection, job: Job, folder: Path) -> tuple[dict[str, Any], JobLimits]:
        """Put the reports of the entries that count into a folder."""
        name, _, phase = job.subject.partition("/")
        track = find_track(connection, name)
        reports = {}
        for number, (team, entry) in enumerate(standing_entries(connection, track, phase).items()):
            path = folder / f"{number}.report.json"
            write_scratch(path, self.blobs.read(entry.report_sha256 or ""))
            reports[team] = str(path)
        title = " · ".join(filter(None, track.titles(track.phase(phase))))
        return msgspec.to_builtins(RankOrder(title=title, reports=reports, page=str(folder / _PAGE))), JobLimits()

    def settle(self, connection: Connection, job: Job, outcome: ChildOutcome, folder: Path | None, now: int) -> None:
        """Keep the board; the former one stays where none could be made, and goes where nothing counts any more."""
        if outcome.failed or outcome.stopped or folder is None:
            _log.error("no board of %s: %s\n%s", job.subject, outcome.failed, outcome.details)
            return
        track, _, phase = job.subject.partition("/")
        its = (phase_boards.c.track == track) & (phase_boards.c.phase == phase)
        connection.execute(delete(phase_boards).where(its))
        if outcome.result is None:
            return
        sha256 = self.blobs.put((folder / _PAGE).read_bytes())
        row = {"track": track, "phase": phase, "board": outcome.result, "page_sha256": sha256, "computed_at": now}
        connection.execute(insert(phase_boards).values(**row))
