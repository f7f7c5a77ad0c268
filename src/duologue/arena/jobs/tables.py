"""The table of jobs."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, Column, Index, Table

from duologue.arena.database.column_types import Integer, Json, Moment, StoredText
from duologue.arena.database.tables import metadata

JOB_STATES = ("queued", "running", "done", "failed", "cancelled")
"""A job is queued, running under a lease, or ended in one of the other three."""

jobs = Table(
    "jobs",
    metadata,
    Column("id", StoredText, primary_key=True),
    Column("kind", StoredText, nullable=False),
    Column("subject", StoredText, nullable=False),
    Column("state", StoredText, nullable=False),
    Column("reason", StoredText, nullable=False, default=""),
    Column("payload", Json(dict[str, Any]), nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("worker", StoredText, nullable=False, default=""),
    Column("lease_expires_at", Moment),
    Column("created_at", Moment, nullable=False),
    Column("started_at", Moment),
    Column("ended_at", Moment),
    CheckConstraint(f"state IN {JOB_STATES}", name="jobs_state"),
)
Index("jobs_by_state", jobs.c.state, jobs.c.created_at)
Index("jobs_by_subject", jobs.c.subject)
