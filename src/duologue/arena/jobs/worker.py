"""A worker: takes jobs off the queue one by one and does each in a child process; never loses one.

A worker that dies leaves a lease behind. It runs out within `LEASE`; on the same machine the next worker sees that
the process is gone and takes the job at once.
"""

from __future__ import annotations

import logging
import os
import socket
import tempfile
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Protocol

from duologue.arena.database.tables import new_id
from duologue.arena.jobs import job_queue as queue
from duologue.arena.jobs.limited_process import ChildOutcome, JobLimits, run_limited
from duologue.core.disk import empty, has_room, lacks_space, temporary_folder
from duologue.core.errors import DuologueError, NoSpaceError, StorageError

if TYPE_CHECKING:
    import threading
    from collections.abc import Sequence
    from pathlib import Path

    from sqlalchemy import Connection

    from duologue.arena.database.database import Database
    from duologue.arena.jobs.job_queue import Job

_log = logging.getLogger(__name__)
_FULL = "this machine's disk is full, so that no job can be done; free some space where TMPDIR and the workspace are"
_MUCH = 256 << 20
"""Bytes of scratch space, or half of the disk where that is less, that a job must find free before a lack is its own.
"""
_TOO_LARGE = "its files need more scratch space than there is on the machine that scores"
_IDLE = 0.5
"""Seconds between two looks at an empty queue."""


class JobKind(Protocol):
    """What is to be done for the jobs of one kind."""

    name: str
    target: str
    """`module:function` that a child process calls with what `prepare` returns."""

    def begun(self, connection: Connection, job: Job, now: int) -> None:
        """Note, with the claim, that a job has begun."""
        ...

    def prepare(self, connection: Connection, job: Job, folder: Path) -> tuple[dict[str, Any], JobLimits]:
        """Put what the job needs into a folder, and return what its function is called with."""
        ...

    def settle(self, connection: Connection, job: Job, outcome: ChildOutcome, folder: Path | None, now: int) -> None:
        """Keep what came of a job, in the transaction that ends it; `folder` has what the child wrote."""
        ...


class JobWorker:
    """Works through the queue of a database; several may do so at once, on one machine or many."""

    def __init__(
        self, database: Database, kinds: Sequence[JobKind], *, lease: int = queue.LEASE, chores: Sequence[Any] = ()
    ) -> None:
        """`chores` are called with connection and time at each look at the queue: work that the clock brings."""
        self.database = database
        self.kinds = {kind.name: kind for kind in kinds}
        self.lease = lease
        self.chores = tuple(chores)
        self._postponed: list[tuple[Job, bool]] = []
        """Jobs to be given back, and whether an attempt is counted."""
        self.name = f"{socket.gethostname()}:{os.getpid()}:{new_id()}"

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set; the job in hand is given back then."""
        told = ""
        while not stop.is_set():
            try:
                busy = self.step(stop)
            except DuologueError as error:  # a database that is away for a while, say: the lease brings the job back
                if told != str(error):
                    _log.warning("the worker could not do a job, and tries again: %s", error)
                busy, told = False, str(error)
            except Exception:  # noqa: BLE001  # one job's fault must not end the others
                _log.exception("the worker could not do a job")
                busy = False
            if not busy:
                stop.wait(_IDLE)

    def drain(self) -> int:
        """Work until nothing waits, and return how many jobs were ended."""
        ended = 0
        while self.step():
            ended += 1
        return ended

    def step(self, stop: threading.Event | None = None) -> bool:
        """Do one job; `False` where none waits."""
        dead = self._dead()
        found = self.database.write(lambda connection: self._take(connection, dead))
        self._postponed.clear()
        if found is None:
            return False
        job = queue.Job(*found)
        with ExitStack() as stack:
            try:
                folder = stack.enter_context(temporary_folder())
            except StorageError:
                self._postpone(job)
                raise
            try:
                outcome = self._do(job, folder, stop)
            except NoSpaceError:
                empty(folder)
                self._postpone(job, counted=has_room(folder, _MUCH))
                raise
            try:
                self._keep(job, outcome, folder)
            except NoSpaceError:
                self._postpone(job)
                raise
        return True

    def _keep(self, job: Job, outcome: ChildOutcome, folder: Path) -> None:
        """End a job with its outcome. Raises `NoSpaceError` where the disk is too full for that."""
        try:
            self.database.write(lambda connection: self._end(connection, job, outcome, folder))
        except NoSpaceError:
            raise
        except Exception as error:
            if lacks_space(error):
                raise NoSpaceError(_FULL) from error
            _log.exception("what came of job %s could not be kept", job.id)
            lost = ChildOutcome(None, "what came of it could not be kept", f"{type(error).__name__}: {error}")
            self.database.write(lambda connection: self._end(connection, job, lost, folder))

    def _postpone(self, job: Job, *, counted: bool = False) -> None:
        """Give a job back that this machine has no space for; it waits behind the others, which may need less.

        Where others have filled the disk nothing is wrong with it, and no attempt is counted. One is `counted` where
        there is much room as soon as the job's own files are gone: then it alone has filled the disk.
        """
        self._postponed.append((job, counted))
        with suppress(StorageError):  # the database may lie on the full disk; then it is done before the next job
            self.database.write(self._give_back)

    def _give_back(self, connection: Connection) -> None:
        now = self.database.now()
        for job, counted in self._postponed:
            why = _TOO_LARGE if counted else _FULL
            if not queue.give_back(connection, job.id, self.name, now, why=why, counted=counted, last=True):
                details = (
                    f"it filled the disk {job.attempts} times, and each time there was room again without its files; "
                    f"give the worker more scratch space (TMPDIR, now {tempfile.gettempdir()}), and let the team hand "
                    "in again"
                )
                _log.error("job %s (%s %s) has failed: %s", job.id, job.kind, job.subject, details)
                self._settle(connection, job, ChildOutcome(None, why, details), None)

    def _dead(self) -> frozenset[str]:
        """Return the workers of this machine that hold a lease and whose processes are gone."""
        with self.database.reading() as connection:
            held = queue.holders(connection)
        return frozenset(one for one in held if _is_gone(one))

    def _take(self, connection: Connection, dead: frozenset[str]) -> list[Any] | None:
        now = self.database.now()
        self._give_back(connection)
        for chore in self.chores:
            chore(connection, now)
        for lost in queue.release_expired(connection, now, dead=dead):
            why = f"the program that scores stopped in the middle of it, {lost.attempts} times"
            self._settle(connection, lost, ChildOutcome(None, why), None)
        job = queue.claim(connection, self.name, now, lease=self.lease)
        if job is None:
            return None
        if job.kind in self.kinds:
            self.kinds[job.kind].begun(connection, job, now)
        return list(job)

    def _do(self, job: Job, folder: Path, stop: threading.Event | None) -> ChildOutcome:
        kind = self.kinds.get(job.kind)
        if kind is None:
            return ChildOutcome(None, f"no program here does jobs of the kind '{job.kind}'")
        try:
            with self.database.reading() as connection:
                payload, limits = kind.prepare(connection, job, folder)
        except Exception as error:  # the job fails with it; the worker goes on with other jobs
            if lacks_space(error):
                raise NoSpaceError(_FULL) from error
            return ChildOutcome(None, "its files could not be made ready", f"{type(error).__name__}: {error}")

        def keep_on() -> bool:
            now = self.database.now()
            held: bool = self.database.write(
                lambda connection: queue.renew(connection, job.id, self.name, now, lease=self.lease)
            )
            return held and not (stop is not None and stop.is_set())

        try:
            outcome = run_limited(kind.target, payload, folder, limits, keep_on=keep_on, every=self.lease / 3_000)
        except OSError as error:
            if lacks_space(error):
                raise NoSpaceError(_FULL) from error
            raise
        if outcome.no_space:
            raise NoSpaceError(_FULL)
        return outcome

    def _end(self, connection: Connection, job: Job, outcome: ChildOutcome, folder: Path) -> None:
        now = self.database.now()
        if outcome.stopped:
            queue.give_back(connection, job.id, self.name, now, why="the worker was stopped", counted=False)
        elif outcome.again:
            if not queue.give_back(connection, job.id, self.name, now, why=outcome.failed):
                self._settle(connection, job, outcome, folder)
        elif queue.finish(connection, job.id, self.name, now, failed=outcome.failed):
            self._settle(connection, job, outcome, folder)

    def _settle(self, connection: Connection, job: Job, outcome: ChildOutcome, folder: Path | None) -> None:
        kind = self.kinds.get(job.kind)
        if kind is not None:
            kind.settle(connection, job, outcome, folder, self.database.now())


def _is_gone(worker: str) -> bool:
    """Tell whether a worker ran on this machine and its process is gone."""
    host, _, rest = worker.rpartition(":")[0].rpartition(":")
    if host != socket.gethostname() or not (rest.isascii() and rest.isdigit() and len(rest) < 10):
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
