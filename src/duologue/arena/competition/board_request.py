"""A request for a phase's board, made in the transaction that changes what counts in the phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.jobs import job_queue as queue

if TYPE_CHECKING:
    from sqlalchemy import Connection

RANK_JOB = "rank-phase"


def ask_for_board(connection: Connection, track: str, phase: str, now: int) -> None:
    """Queue the ranking of a phase; one that waits already stands for this one too."""
    subject = f"{track}/{phase}"
    if not queue.is_queued(connection, RANK_JOB, subject):
        queue.enqueue(connection, RANK_JOB, subject, now)
