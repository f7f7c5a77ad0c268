"""A worker loses no job: it is done, or has failed with a reason, whatever is killed."""

from __future__ import annotations

import errno
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from duologue.arena.jobs import job_queue as queue
from duologue.arena.jobs import worker as worker_module
from duologue.arena.jobs.limited_process import ChildOutcome, JobLimits
from duologue.arena.jobs.tables import jobs
from duologue.arena.jobs.worker import JobWorker
from duologue.arena.storage import open_database
from duologue.core.errors import NoSpaceError, StorageError
from tests.arena.jobs.test_limited_process import is_alive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy import Connection

    from duologue.arena.database.database import Database


class Doing:
    """A kind of job that calls a function of `work_done` with the job's payload."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.target = f"tests.arena.jobs.work_done:{name}"
        self.settled: list[tuple[str, ChildOutcome]] = []

    def begun(self, connection: Connection, job: queue.Job, now: int) -> None:
        pass

    def prepare(self, connection: Connection, job: queue.Job, folder: Path) -> tuple[dict[str, Any], JobLimits]:
        return job.payload, JobLimits(seconds=30)

    def settle(
        self, connection: Connection, job: queue.Job, outcome: ChildOutcome, folder: Path | None, now: int
    ) -> None:
        if outcome.result == "unkept":
            raise OSError("the disk is full")
        self.settled.append((job.subject, outcome))


@pytest.fixture(autouse=True)
def _tests_are_found(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(request.config.rootpath), *sys.path]))


@pytest.fixture
def local(opened: Callable[[str | None], Database]) -> Database:
    return opened(None)


def put(database: Database, kind: str, subject: str, **payload: Any) -> str:
    return database.write(lambda connection: queue.enqueue(connection, kind, subject, database.now(), payload))


def states(database: Database) -> dict[str, tuple[str, str]]:
    with database.reading() as connection:
        return {row.subject: (row.state, row.reason) for row in connection.execute(select(jobs)).all()}


def test_every_job_ends_done_or_failed_with_a_reason(local: Database) -> None:
    put(local, "add", "sum", a=1, b=2)
    put(local, "raise_fault", "fault")
    put(local, "die", "killed", signal=int(signal.SIGKILL))
    put(local, "unknown", "nobody")
    kinds = [Doing(name) for name in ("add", "raise_fault", "die")]
    assert JobWorker(local, kinds).drain() == 6  # the killed one three times
    assert states(local) == {
        "sum": ("done", ""),
        "fault": ("failed", "the program failed (ValueError)"),
        "killed": ("failed", "the system ended it (was memory or processor time short?)"),
        "nobody": ("failed", "no program here does jobs of the kind 'unknown'"),
    }
    assert [(subject, outcome.result) for kind in kinds for subject, outcome in kind.settled] == [
        ("sum", 3), ("fault", None), ("killed", None),
    ]  # fmt: skip


def test_an_outcome_that_cannot_be_kept_fails_the_job(local: Database) -> None:
    class Unkept(Doing):
        def settle(self, connection: Connection, job: queue.Job, outcome: ChildOutcome, *rest: Any) -> None:
            if outcome.result is not None:
                raise OSError("the disk is full")

    put(local, "add", "sum", a=1, b=2)
    JobWorker(local, [Unkept("add")]).drain()
    assert states(local) == {"sum": ("failed", "what came of it could not be kept")}


def test_a_full_disk_fails_no_job_and_holds_up_none_that_fits(
    local: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A team lost its entry by it: "the program failed (StorageError)"."""
    monkeypatch.setattr(worker_module, "has_room", lambda *_: False)
    space = tmp_path / "space"
    put(local, "find_no_space", "large", space=str(space))
    local.now = itertools.count(local.now() + 1).__next__
    put(local, "add", "small", a=1, b=2)
    kinds = [Doing("find_no_space"), Doing("add")]
    worker = JobWorker(local, kinds)
    for _ in range(queue.MAX_ATTEMPTS + 1):
        with pytest.raises(NoSpaceError, match=r"disk is full.*free some space"):
            worker.drain()
    found = states(local)
    assert found["small"] == ("done", "")
    assert found["large"][0] == "queued"
    assert kinds[0].settled == []
    space.touch()
    assert worker.drain() == 1
    assert states(local)["large"] == ("done", "")


def test_a_job_that_alone_fills_the_disk_fails_with_a_reason(local: Database, tmp_path: Path) -> None:
    """It was tried again and again, and its team saw it waiting for ever."""
    put(local, "find_no_space", "large", space=str(tmp_path / "space"))
    kind = Doing("find_no_space")
    worker = JobWorker(local, [kind])
    for _ in range(queue.MAX_ATTEMPTS):
        with pytest.raises(NoSpaceError):
            worker.drain()
    why = "its files need more scratch space than there is on the machine that scores"
    assert states(local)["large"] == ("failed", why)
    assert worker.drain() == 0
    [(subject, outcome)] = kind.settled
    assert (subject, outcome.result) == ("large", None)
    assert outcome.failed == why
    assert "it filled the disk 3 times" in outcome.details
    assert "TMPDIR" in outcome.details


def test_a_job_whose_files_or_outcome_find_no_space_comes_back(local: Database) -> None:
    class Full(Doing):
        full_at = "prepare"

        def prepare(self, *given: Any) -> tuple[dict[str, Any], JobLimits]:
            if self.full_at == "prepare":
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().prepare(*given)

        def settle(self, *given: Any) -> None:
            if self.full_at == "settle":
                raise NoSpaceError("cannot write a kept file")
            super().settle(*given)

    put(local, "add", "sum", a=1, b=2)
    kind = Full("add")
    for full_at in ("prepare", "settle"):
        kind.full_at = full_at
        with pytest.raises(NoSpaceError):
            JobWorker(local, [kind]).drain()
        assert states(local)["sum"][0] == "queued"
    kind.full_at = ""
    assert JobWorker(local, [kind]).drain() == 1
    assert states(local)["sum"] == ("done", "")


def test_a_job_that_could_not_be_given_back_is_so_before_the_next(
    local: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database lies on the full disk as a rule."""
    put(local, "add", "sum", a=1, b=2)
    worker, write = JobWorker(local, [Doing("add")]), local.write

    def refuse(_: object) -> None:
        raise NoSpaceError("the database refuses: no space left on the disk")

    def take_alone(action: Any) -> Any:
        monkeypatch.setattr(local, "write", refuse)
        return write(action)

    for _ in range(queue.MAX_ATTEMPTS + 1):
        monkeypatch.setattr(local, "write", take_alone)
        with pytest.raises(NoSpaceError):
            worker.drain()
        assert states(local)["sum"][0] == "running"
    monkeypatch.setattr(local, "write", write)
    assert worker.drain() == 1
    assert states(local)["sum"] == ("done", "")


def test_a_worker_that_the_database_refuses_says_so_once_and_goes_on(
    local: Database, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duologue.arena.jobs.worker._IDLE", 0.001)
    stop, worker, tries = threading.Event(), JobWorker(local, []), []

    def step(_: threading.Event) -> bool:
        tries.append(1)
        if len(tries) == 5:
            stop.set()
        raise StorageError("the database refuses: no such column")

    monkeypatch.setattr(worker, "step", step)
    worker.run(stop)
    assert len(tries) == 5
    assert [one.getMessage() for one in caplog.records] == [
        "the worker could not do a job, and tries again: the database refuses: no such column"
    ]
    assert caplog.records[0].exc_info is None


def test_a_worker_that_is_told_to_stop_gives_its_job_back(local: Database, tmp_path: Path) -> None:
    put(local, "sleep", "long", seconds=60, mark=str(tmp_path / "mark"))
    stop = threading.Event()
    worker = JobWorker(local, [Doing("sleep")], lease=300)
    thread = threading.Thread(target=worker.run, args=(stop,))
    thread.start()
    _wait_for(tmp_path / "mark")
    stop.set()
    thread.join(20)
    assert not thread.is_alive()
    assert states(local) == {"long": ("queued", "the worker was stopped")}
    assert not is_alive(int((tmp_path / "mark").read_text()))


def test_a_job_that_is_cancelled_while_it_runs_is_stopped(local: Database, tmp_path: Path) -> None:
    put(local, "sleep", "long", seconds=60, mark=str(tmp_path / "mark"))
    worker = threading.Thread(target=JobWorker(local, [Doing("sleep")], lease=300).step)
    worker.start()
    _wait_for(tmp_path / "mark")
    local.write(lambda connection: queue.cancel(connection, "long", local.now()))
    worker.join(20)
    assert states(local) == {"long": ("cancelled", "cancelled")}
    assert not is_alive(int((tmp_path / "mark").read_text()))


_KILLED = """
import sys
from pathlib import Path
from duologue.arena.jobs.worker import JobWorker
from duologue.arena.storage import open_database
from tests.arena.jobs.test_worker import Doing
database = open_database(Path(sys.argv[1]))
JobWorker(database, [Doing("sleep")]).step()
"""


def test_after_kill_9_of_a_worker_its_child_ends_and_the_next_worker_takes_the_job_at_once(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with open_database(tmp_path) as database:
        put(database, "sleep", "long", seconds=3, mark=str(mark))
        worker = subprocess.Popen([sys.executable, "-c", _KILLED, str(tmp_path)])
        _wait_for(mark)
        child = int(mark.read_text())
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        assert states(database)["long"][0] == "running"
        start = time.monotonic()
        assert JobWorker(database, [Doing("sleep")]).drain() == 1
        assert time.monotonic() - start < 20
        assert states(database) == {"long": ("done", "")}
        assert not is_alive(child)


def _wait_for(mark: Path) -> None:
    for _ in range(400):
        if mark.is_file() and mark.read_text():
            return
        time.sleep(0.05)
    raise AssertionError("the child did not begin")


@pytest.mark.parametrize("number", ["99999999999999999999", "²", "-1", "", "x"])
def test_a_worker_whose_number_is_none_is_not_said_to_be_gone(number: str) -> None:
    """The number stands in the database, where it may be altered."""
    assert not worker_module._is_gone(f"{socket.gethostname()}:{number}:1")
