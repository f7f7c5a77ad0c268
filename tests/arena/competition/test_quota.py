"""The quota counts scored entries and nothing else, whatever is handed in, taken back, crashes, hangs or restarts."""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, event, insert

from duologue.arena.competition import entries as competition
from duologue.arena.competition import phase_clock, teams
from duologue.arena.competition.entries import EntryRefusedError
from duologue.arena.competition.score_job import EntryScoring
from duologue.arena.competition.tables import tracks
from duologue.arena.competition.track_file import TrackDefinition
from duologue.arena.database.tables import metadata
from duologue.arena.jobs import job_queue as queue
from duologue.arena.jobs.limited_process import ChildOutcome
from duologue.core.recipe import from_table
from tests.arena.conftest import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection


TRACK = from_table(
    TrackDefinition,
    {
        "name": "toy",
        "title": "Toy",
        "task": "restaurant",
        "zone": "Pacific/Apia",  # it skipped a day once, and has no offset of whole hours by chance
        "phases": [
            {
                "name": "test",
                "opens": phase_clock.local(40_000_000_000, "UTC").replace(tzinfo=None),
                "closes": phase_clock.local(4_000_000_000_000, "UTC").replace(tzinfo=None),
                "gold": ["truth.json"],
                "quota": {"day": 2, "total": 7},
            }
        ],
    },
    "the test",
)
ACTIONS = (
    "submit",
    "submit",
    "cancel",
    "begin",
    "scored",
    "scored",
    "refused",
    "failed",
    "crash",
    "hang",
    "restart",
    "day",
)
SEQUENCES = int(os.environ.get("DUOLOGUE_SEQUENCES", "300"))
"""How many sequences of actions are played for each seed."""


class _NoFiles:
    """Blobs that keep nothing: this test is about counts."""

    def put(self, data: bytes) -> str:
        return "0" * 64


FILES: Any = _NoFiles()


class Contest:
    """Teams, workers and a clock over a database in memory, with what ought to be true beside it."""

    def __init__(self, connection: Connection, folder: Path) -> None:
        self.connection, self.folder, self.clock = connection, folder, Clock()
        connection.execute(
            insert(tracks).values(name="toy", definition={}, agreement_sha256="", created_at=0, changed_at=0)
        )
        self.team = teams.register(connection, TRACK, "Ann", self.clock(), agreed=True)
        self.kind = EntryScoring(FILES)
        self.leases: list[tuple[str, queue.Job]] = []
        self.known: dict[str, str] = {}
        self.days: dict[str, str] = {}
        self.workers = 0

    def do(self, action: str, pick: int) -> None:
        self.clock.pass_by(seconds=pick % 5)
        getattr(self, action)(pick)
        self.demand()

    def submit(self, pick: int) -> None:
        day = phase_clock.day_of(self.clock(), TRACK.zone)
        states = Counter(self.known.values())
        today = Counter(self.known[one] for one, its in self.days.items() if its == day)
        full = states["scored"] + states["queued"] >= 7 or today["scored"] + today["queued"] >= 2
        try:
            entry = competition.submit(self.connection, FILES, TRACK, self.team, "x.json", b"x", self.clock())
        except EntryRefusedError:
            assert full
        else:
            assert not full
            self.known[entry.id], self.days[entry.id] = "queued", day

    def cancel(self, pick: int) -> None:
        if self.known:
            one = list(self.known)[pick % len(self.known)]  # in the order of handing in: ids are drawn
            done = competition.cancel(self.connection, one, self.clock())
            assert done == (self.known[one] == "queued")
            if done:
                self.known[one] = "cancelled"

    def begin(self, pick: int) -> None:
        self.workers += 1
        name = f"worker {self.workers}"
        job = queue.claim(self.connection, name, self.clock())
        if job is not None and job.kind != competition.SCORE_JOB:
            assert queue.finish(self.connection, job.id, name, self.clock())  # a new board
        elif job is not None:
            assert self.known[job.subject] == "queued"
            self.kind.begun(self.connection, job, self.clock())
            self.leases.append((name, job))

    def scored(self, pick: int) -> None:
        self._end(pick, "scored", {"value": 0.5, "summary": None})

    def refused(self, pick: int) -> None:
        self._end(pick, "refused", {"reason": "the check found an error"})

    def failed(self, pick: int) -> None:
        self._end(pick, "failed", None)

    def _end(self, pick: int, state: str, told: dict[str, Any] | None) -> None:
        """Let a worker that believes it holds a job end it; whether that counts is the lease's matter."""
        if not self.leases:
            return
        worker, job = self.leases.pop(pick % len(self.leases))
        outcome = ChildOutcome(None, "it broke down") if told is None else ChildOutcome({"state": state, **told}, "")
        if queue.finish(self.connection, job.id, worker, self.clock(), failed=outcome.failed):
            self.kind.settle(self.connection, job, outcome, self.folder, self.clock())
            assert self.known[job.subject] == "queued"
            self.known[job.subject] = state

    def crash(self, pick: int) -> None:
        """Let a worker be killed: nothing is written."""
        if self.leases:
            self.leases.pop(pick % len(self.leases))

    def hang(self, pick: int) -> None:
        """Let all leases run out while their workers still believe that they hold them."""
        self.clock.pass_by(seconds=11)
        self._release(frozenset())

    def restart(self, pick: int) -> None:
        """Let all workers be killed, and a new one look at what they left."""
        self.leases = []
        self._release(frozenset(queue.holders(self.connection)))

    def _release(self, dead: frozenset[str]) -> None:
        for job in queue.release_expired(self.connection, self.clock(), dead=dead):
            self.kind.settle(self.connection, job, ChildOutcome(None, "given up"), None, self.clock())
            assert self.known[job.subject] == "queued"
            self.known[job.subject] = "failed"

    def day(self, pick: int) -> None:
        self.clock.pass_by(seconds=3_600 * (1 + pick % 30))

    def demand(self) -> None:
        """Hold the database against what ought to be."""
        day = phase_clock.day_of(self.clock(), TRACK.zone)
        use = competition.quota_use(self.connection, self.team.id, "test", day)
        states = Counter(self.known.values())
        today = Counter(self.known[one] for one, its in self.days.items() if its == day)
        assert use == (today["scored"], today["queued"], states["scored"], states["queued"])
        assert states["scored"] <= 7
        assert use.scored_today <= 2

    def drain(self) -> None:
        """Let a fresh worker do what is left: nothing is lost, and everything has ended with a reason."""
        self.restart(0)
        while "queued" in self.known.values():
            self.begin(0)
            self.scored(0)
        self.demand()
        found = competition.entries_of(self.connection, "toy")
        assert {one.id for one in found} == set(self.known)
        for one in found:
            assert one.state == self.known[one.id]
            assert one.state in ("scored", "refused", "failed", "cancelled")
            assert one.state == "scored" or one.reason


@pytest.fixture(scope="module")
def memory() -> Iterator[Connection]:
    engine = create_engine("sqlite://")

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: object) -> None:
        connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    metadata.create_all(engine)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder as a child leaves it that has scored an entry."""
    folder = tmp_path_factory.mktemp("scored")
    (folder / "scored.report.json").write_bytes(b"{}")
    return folder


def play(connection: Connection, folder: Path, steps: list[tuple[str, int]]) -> Counter[str]:
    with connection.begin() as transaction:
        contest = Contest(connection, folder)
        for action, pick in steps:
            contest.do(action, pick)
        contest.drain()
        transaction.rollback()
    return Counter(contest.known.values())


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 99)), max_size=40))
def test_the_quota_is_exact_after_any_sequence(memory: Connection, scored: Path, steps: list[tuple[str, int]]) -> None:
    play(memory, scored, steps)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_the_quota_is_exact_after_thousands_of_sequences(memory: Connection, scored: Path, seed: int) -> None:
    """Ten thousand with `DUOLOGUE_SEQUENCES=1000`: five minutes of processor time."""
    chance, ended = random.Random(seed), Counter[str]()
    for _ in range(SEQUENCES):
        length = 5 + chance.randrange(20)
        ended += play(memory, scored, [(chance.choice(ACTIONS), chance.randrange(100)) for _ in range(length)])
    assert all(ended[state] * 50 > SEQUENCES for state in ("scored", "refused", "failed", "cancelled")), ended
