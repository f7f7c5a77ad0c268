"""Jobs are leased one by one, come back when a lease runs out, and end once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from duologue.arena.jobs import job_queue as queue
from duologue.arena.jobs.tables import jobs

if TYPE_CHECKING:
    from duologue.arena.database.database import Database
    from tests.arena.conftest import Clock


def put(database: Database, subject: str, clock: Clock) -> str:
    clock.pass_by(seconds=1)
    return database.write(lambda connection: queue.enqueue(connection, "add", subject, database.now()))


def take(database: Database, worker: str) -> queue.Job | None:
    return database.write(lambda connection: queue.claim(connection, worker, database.now()))


def release(database: Database, dead: str) -> list[queue.Job]:
    return database.write(lambda connection: queue.release_expired(connection, database.now(), dead=frozenset([dead])))


def state(database: Database, job: str) -> tuple[str, str]:
    with database.reading() as connection:
        row = connection.execute(select(jobs).where(jobs.c.id == job)).one()
    return row.state, row.reason


def test_the_oldest_job_is_given_to_one_worker_alone(database: Database, clock: Clock) -> None:
    first, second = put(database, "x", clock), put(database, "y", clock)
    found = [take(database, name) for name in ("ann", "bob", "eve")]
    assert [one and one.id for one in found] == [first, second, None]


def test_a_lease_that_is_renewed_does_not_run_out_and_one_that_is_not_comes_back(
    database: Database, clock: Clock
) -> None:
    job = put(database, "x", clock)
    take(database, "ann")
    for _ in range(5):
        clock.pass_by(seconds=8)
        assert database.write(lambda connection: queue.renew(connection, job, "ann", database.now()))
        assert database.write(lambda connection: queue.release_expired(connection, database.now())) == []
    assert state(database, job)[0] == "running"
    clock.pass_by(seconds=11)
    assert database.write(lambda connection: queue.release_expired(connection, database.now())) == []
    assert state(database, job) == ("queued", "the worker stopped in the middle of it, 1 times")
    assert not database.write(lambda connection: queue.finish(connection, job, "ann", database.now()))
    again = take(database, "bob")
    assert again is not None
    assert again.attempts == 2
    assert database.write(lambda connection: queue.finish(connection, job, "bob", database.now()))
    assert state(database, job) == ("done", "")


def test_a_job_over_which_three_workers_died_has_failed_with_a_reason(database: Database, clock: Clock) -> None:
    job = put(database, "x", clock)
    lost: list[queue.Job] = []
    for name in ("ann", "bob", "eve"):
        assert take(database, name) is not None
        lost = release(database, name)
    assert [one.id for one in lost] == [job]
    assert state(database, job) == ("failed", "the worker stopped in the middle of it, 3 times")
    assert take(database, "zoe") is None


def test_a_worker_that_is_stopped_costs_no_attempt(database: Database, clock: Clock) -> None:
    job = put(database, "x", clock)
    for _ in range(5):
        taken = take(database, "ann")
        assert taken is not None
        assert taken.attempts == 1
        database.write(
            lambda connection: queue.give_back(connection, job, "ann", database.now(), why="stopped", counted=False)
        )
    assert state(database, job) == ("queued", "stopped")


def test_a_cancelled_job_is_its_workers_no_more(database: Database, clock: Clock) -> None:
    job = put(database, "x", clock)
    take(database, "ann")
    assert database.write(lambda connection: queue.cancel(connection, "x", database.now())) == 1
    assert not database.write(lambda connection: queue.renew(connection, job, "ann", database.now()))
    assert not database.write(lambda connection: queue.finish(connection, job, "ann", database.now()))
    assert database.write(lambda connection: queue.give_back(connection, job, "ann", database.now(), why="?"))
    assert state(database, job) == ("cancelled", "cancelled")


def test_queued_jobs_of_a_subject_are_known(database: Database, clock: Clock) -> None:
    put(database, "x", clock)
    with database.reading() as connection:
        assert queue.is_queued(connection, "add", "x")
        assert not queue.is_queued(connection, "add", "y")
        assert queue.holders(connection) == []
    take(database, "ann")
    with database.reading() as connection:
        assert not queue.is_queued(connection, "add", "x")
        assert queue.holders(connection) == ["ann"]
