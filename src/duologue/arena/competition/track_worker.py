"""The worker of competitions, as the site and `duologue track work` run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.competition.phases import PhaseChore
from duologue.arena.competition.rank_job import PhaseRanking
from duologue.arena.competition.score_job import EntryScoring
from duologue.arena.jobs.worker import JobWorker

if TYPE_CHECKING:
    from duologue.arena.database.blobs import Blobs
    from duologue.arena.database.database import Database


def track_worker(database: Database, blobs: Blobs) -> JobWorker:
    """Return a worker that scores entries, ranks phases, and moves entries when a phase is over."""
    return JobWorker(database, [EntryScoring(blobs), PhaseRanking(blobs)], chores=[PhaseChore()])
