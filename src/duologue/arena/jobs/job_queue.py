"""A queue of jobs in a table: what a worker takes is leased to it, and comes back when the worker dies.

Every function is one step of a transaction: the caller's connection commits it together with what the job is about.
A job is only ever ended by the worker that holds its lease, so that of two workers who believe so one is told that
it is too late.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import insert, select, update

from duologue.arena.database.tables import new_id
from duologue.arena.jobs.tables import jobs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection, Row

LEASE = 10_000
"""Milliseconds that a job is leased for; its worker renews the lease three times as often."""
MAX_ATTEMPTS = 3
"""Workers that may die over a job before it is given up."""


class Job(NamedTuple):
    """A job as its worker sees it."""

    id: str
    kind: str
    subject: str
    """What it is about, such as the id of an entry."""
    payload: dict[str, Any]
    attempts: int
    """How often it was begun, this time included."""


def enqueue(connection: Connection, kind: str, subject: str, now: int, payload: Mapping[str, Any] | None = None) -> str:
    """Put a job at the end of the queue and return its id."""
    made = new_id()
    values = {"id": made, "kind": kind, "subject": subject, "state": "queued", "created_at": now}
    connection.execute(insert(jobs).values(**values, payload=dict(payload or {}), attempts=0, reason="", worker=""))
    return made


def is_queued(connection: Connection, kind: str, subject: str) -> bool:
    """Tell whether a job of a kind waits for a subject: nobody has begun it."""
    wanted = (jobs.c.kind == kind) & (jobs.c.subject == subject) & (jobs.c.state == "queued")
    return connection.execute(select(jobs.c.id).where(wanted).limit(1)).first() is not None


def claim(connection: Connection, worker: str, now: int, *, lease: int = LEASE) -> Job | None:
    """Lease the oldest job that waits to a worker; `None` where none waits, or another worker was faster."""
    found = connection.execute(
        select(jobs.c.id).where(jobs.c.state == "queued").order_by(jobs.c.created_at, jobs.c.id).limit(1)
    ).scalar()
    if found is None:
        return None
    taken = connection.execute(
        update(jobs)
        .where(jobs.c.id == found, jobs.c.state == "queued")
        .values(
            state="running",
            worker=worker,
            attempts=jobs.c.attempts + 1,
            lease_expires_at=now + lease,
            started_at=now,
            reason="",
        )
    )
    if not taken.rowcount:
        return None
    return _job(connection.execute(select(jobs).where(jobs.c.id == found)).one())


def renew(connection: Connection, job: str, worker: str, now: int, *, lease: int = LEASE) -> bool:
    """Make a worker's lease longer; `False` says that the job is its no more: cancelled, or given to another."""
    held = (jobs.c.id == job) & (jobs.c.worker == worker) & (jobs.c.state == "running")
    done = connection.execute(update(jobs).where(held).values(lease_expires_at=now + lease))
    return bool(done.rowcount)


def finish(connection: Connection, job: str, worker: str, now: int, *, failed: str = "") -> bool:
    """End a job as done, or as failed for a reason; `False`, and nothing changes, where it is the worker's no more."""
    held = (jobs.c.id == job) & (jobs.c.worker == worker) & (jobs.c.state == "running")
    ended = {"state": "failed" if failed else "done", "reason": failed, "ended_at": now, "lease_expires_at": None}
    return bool(connection.execute(update(jobs).where(held).values(**ended)).rowcount)


def cancel(connection: Connection, subject: str, now: int) -> int:
    """Cancel the jobs of a subject that wait or run, and return how many."""
    open_ = (jobs.c.subject == subject) & jobs.c.state.in_(("queued", "running"))
    ended = {"state": "cancelled", "reason": "cancelled", "ended_at": now, "lease_expires_at": None}
    return connection.execute(update(jobs).where(open_).values(**ended)).rowcount


def give_back(
    connection: Connection, job: str, worker: str, now: int, *, why: str, counted: bool = True, last: bool = False
) -> bool:
    """Put a job that a worker could not finish back into the queue; `False` where that was its last attempt.

    Where it was, the job has failed for the reason `why`; an attempt that is not `counted` is never the last. Such a
    job has its place again, or the `last` one. A job that is not the worker's is left alone (`True`).
    """
    held = (jobs.c.id == job) & (jobs.c.worker == worker) & (jobs.c.state == "running")
    if not counted:
        back: dict[str, Any] = {"state": "queued", "worker": "", "reason": why, "attempts": jobs.c.attempts - 1}
        if last:
            back["created_at"] = now
        connection.execute(update(jobs).where(held).values(**back, lease_expires_at=None))
        return True
    row = connection.execute(select(jobs).where(held)).first()
    return row is None or _returned(connection, row, now, why, last=last)


def release_expired(connection: Connection, now: int, *, dead: frozenset[str] = frozenset()) -> list[Job]:
    """Put jobs whose lease has run out, or whose worker is known to be dead, back into the queue.

    Returns those that had their last attempt and have failed by this.
    """
    lost = (jobs.c.state == "running") & ((jobs.c.lease_expires_at < now) | jobs.c.worker.in_(sorted(dead)))
    given_up = []
    for row in connection.execute(select(jobs).where(lost).order_by(jobs.c.created_at, jobs.c.id)).all():
        why = f"the worker stopped in the middle of it, {row.attempts} times"
        if not _returned(connection, row, now, why):
            given_up.append(_job(row))
    return given_up


def holders(connection: Connection) -> list[str]:
    """Return the workers that hold a lease, sorted."""
    held = select(jobs.c.worker).where(jobs.c.state == "running").distinct()
    return sorted(connection.execute(held).scalars())


def _returned(connection: Connection, row: Row[Any], now: int, why: str, *, last: bool = False) -> bool:
    """Give a running job back; `False` where it has failed by that."""
    again = row.attempts < MAX_ATTEMPTS
    changed: dict[str, Any] = {"state": "queued" if again else "failed", "reason": why}
    if not again:
        changed["ended_at"] = now
    elif last:
        changed["created_at"] = now
    same = (jobs.c.id == row.id) & (jobs.c.state == "running") & (jobs.c.worker == row.worker)
    done = connection.execute(update(jobs).where(same).values(worker="", lease_expires_at=None, **changed))
    return again or not done.rowcount


def _job(row: Row[Any]) -> Job:
    return Job(row.id, row.kind, row.subject, row.payload, row.attempts)
