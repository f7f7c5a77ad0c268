"""A small track of restaurant booking on made data, and result files of every kind for it."""

from __future__ import annotations

import json
import shutil
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.arena.competition import entries, teams
from duologue.arena.competition.phases import PhaseChore
from duologue.arena.competition.rank_job import PhaseRanking
from duologue.arena.competition.score_job import EntryScoring
from duologue.arena.competition.tracks import find_track, read_source, save_track
from duologue.arena.database.blobs import Blobs
from duologue.arena.jobs import job_queue as queue
from duologue.arena.jobs.limited_process import ChildOutcome
from duologue.arena.jobs.worker import JobWorker
from duologue.core.plugins import load_task
from duologue.core.recipe import resolve

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.competition.entries import TrackEntry
    from duologue.arena.competition.teams import Team
    from duologue.arena.competition.track_file import TrackDefinition
    from duologue.arena.database.database import Database
    from duologue.arena.jobs.worker import JobKind

DATA = "dialog-task1API-kb1_atmosphere-distr0.5-tst{n}.json"
TRACK = """
name = "booking"
title = "Restaurant booking"
title_zh = "餐厅预订"
task = "restaurant"
zone = "Asia/Shanghai"
rules = "Rank the candidates. No look at the test data."
rules_zh = "对候选回复排序。不得查看测试数据。"
agreement = "We use the data for research alone."
agreement_zh = "数据仅用于研究。"

[[phases]]
name = "test-1"
title = "Test 1"
title_zh = "测试一"
opens = 2027-01-15T00:00:00
closes = 2027-01-25T00:00:00
gold = ["truth/{truth1}"]
input = ["data/{data1}"]
quota = {{ day = 2, total = 5 }}

[[phases]]
name = "test-2"
title = "Test 2"
title_zh = "测试二"
opens = 2027-01-25T00:00:00
closes = 2027-01-27T00:00:00
gold = ["truth/{truth2}"]
input = ["data/{data2}"]
quota = {{ total = 2 }}
visible = "owner"

[[phases]]
name = "final"
title = "Final"
title_zh = "决赛"
kind = "human"
opens = 2027-01-27T00:00:00
closes = 2027-02-10T00:00:00
top = 2
select = 1
protocol = "restaurant"
visible = "organiser"
"""


@cache
def made() -> Path:
    """Return a folder with the track's file and data: two test sets of the simulator."""
    folder = Path(mkdtemp(prefix="duologue-track-"))
    task: Any = load_task("restaurant")
    names = {}
    for number, n in enumerate((24, 20), start=1):
        recipe = resolve(task.Generation, overrides=["part=tst1", "subtask=1", f"n={n}"])
        task.generate(recipe, number, folder / str(number), workers=1, progress=None)
        (data,) = (one for one in (folder / str(number) / "tst1").iterdir() if "answers" not in one.name)
        truth = data.with_name(data.name.replace(".json", ".answers.json"))
        for kind, path in (("data", data), ("truth", truth)):
            (folder / kind).mkdir(exist_ok=True)
            path.rename(folder / kind / path.name)
            names[f"{kind}{number}"] = path.name
    (folder / "track.toml").write_text(TRACK.format(**names), encoding="utf-8")
    return folder


def truth(phase: int = 1) -> Path:
    return sorted((made() / "truth").iterdir(), key=lambda one: -len(json.loads(one.read_text())))[phase - 1]


def data(phase: int = 1) -> Path:
    return made() / "data" / truth(phase).name.replace(".answers", "")


def result(phase: int = 1, *, wrong: int = 0, shift: int = 1) -> list[dict[str, Any]]:
    """Return the rows of a result file with the truth at rank 1, and so many of them wrong."""
    rows = []
    right = {
        one["dialog_id"]: one["lst_candidate_id"][0]["candidate_id"] for one in json.loads(truth(phase).read_text())
    }
    for number, dialog in enumerate(json.loads(data(phase).read_text())):
        known = sorted(one["candidate_id"] for one in dialog["candidates"])
        first = right[dialog["dialog_id"]]
        at = known.index(first) + (shift if number < wrong else 0)
        order = [known[(at + step) % len(known)] for step in range(len(known))]
        ranked = [{"candidate_id": one, "rank": rank} for rank, one in enumerate(order, start=1)]
        rows.append({"dialog_id": dialog["dialog_id"], "lst_candidate_id": ranked})
    return rows


def as_file(rows: Any) -> bytes:
    return json.dumps(rows).encode()


class Contest(NamedTuple):
    """A track with what runs it."""

    database: Database
    blobs: Blobs
    track: TrackDefinition

    def team(self, name: str, **options: Any) -> Team:
        return self.database.write(
            lambda connection: teams.register(
                connection, self.track, name, self.database.now(), **{"agreed": True, **options}
            )
        )

    def submit(self, team: Team, data: bytes, *, name: str = "result.json", phase: str | None = None) -> TrackEntry:
        return self.database.write(
            lambda connection: entries.submit(
                connection, self.blobs, self.track, team, name, data, self.database.now(), phase=phase
            )
        )

    def worker(self) -> JobWorker:
        kinds: list[JobKind] = [EntryScoring(self.blobs), PhaseRanking(self.blobs)]
        return JobWorker(self.database, kinds, chores=[PhaseChore()])

    def drain(self) -> None:
        """Score all that waits in this process, without the children of a worker."""
        drain_here(self.database, self.blobs)

    def entry(self, entry: TrackEntry) -> TrackEntry:
        with self.database.reading() as connection:
            return entries.find_entry(connection, entry.id)


def drain_here(database: Database, blobs: Blobs) -> None:
    """Do what a worker does without its children, in this process: quicker, for tests that are of something else."""
    kinds: dict[str, JobKind] = {one.name: one for one in (EntryScoring(blobs), PhaseRanking(blobs))}
    while (job := database.write(lambda connection: queue.claim(connection, "here", database.now()))) is not None:
        kind, found = kinds[job.kind], job
        with TemporaryDirectory() as name, database.reading() as connection:
            payload, _ = kind.prepare(connection, found, Path(name))
            module, _, function = kind.target.partition(":")
            outcome = ChildOutcome(getattr(import_module(module), function)(payload), "")
            database.write(partial(_end, kind=kind, job=found, outcome=outcome, folder=Path(name), now=database.now()))


def _end(
    connection: Connection, *, kind: JobKind, job: queue.Job, outcome: ChildOutcome, folder: Path, now: int
) -> None:
    assert queue.finish(connection, job.id, "here", now)
    kind.settle(connection, job, outcome, folder, now)


def open_now(folder: Path) -> Path:
    """Copy the track into a folder, with both phases open in this century, and return its file."""
    shutil.copytree(made(), folder)
    path = folder / "track.toml"
    text = path.read_text(encoding="utf-8").replace("opens = 2027-01-25", "opens = 2020-01-01")
    for old, new in (
        ("2027-01-15", "2020-01-01"),
        ("2027-01-25", "2100-01-01"),
        ("2027-01-27", "2100-02-01"),
        ("2027-02-10", "2100-03-01"),
    ):
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


def open_contest(database: Database, folder: Path) -> Contest:
    blobs = Blobs(folder / "files")
    source = read_source(made() / "track.toml")
    database.write(lambda connection: save_track(connection, blobs, source, database.now()))
    with database.reading() as connection:
        return Contest(database, blobs, find_track(connection, "booking"))
