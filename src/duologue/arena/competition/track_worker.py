"""The worker of competitions, as the site and `duologue track work` run it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from duologue.arena.competition.phases import PhaseChore
from duologue.arena.competition.rank_job import PhaseRanking
from duologue.arena.competition.score_job import EntryScoring
from duologue.arena.jobs.worker import JobWorker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.arena.database.blobs import Blobs
    from duologue.arena.database.database import Database


def track_worker(database: Database, blobs: Blobs) -> JobWorker:
    """Return a worker that scores entries, ranks phases, and moves entries when a phase is over."""
    return JobWorker(database, [EntryScoring(blobs), PhaseRanking(blobs)], chores=[PhaseChore()])


@contextmanager
def worker_beside(database: Database, blobs: Blobs) -> Iterator[JobWorker]:
    """Let a worker run in a thread of this process while the block runs; what it has in hand is given back then."""
    worker, stop = track_worker(database, blobs), threading.Event()
    thread = threading.Thread(target=worker.run, args=(stop,), name="track-worker", daemon=True)
    thread.start()
    try:
        yield worker
    finally:
        stop.set()
        thread.join()
