from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.run.test_usage import Metered

from duologue.core.errors import UsageError
from duologue.core.identity import Identity
from duologue.core.optional_protocols import Stage
from duologue.core.protocols import TaskInfo
from duologue.core.records import Answer, Dialogue, Problem, Record, Report, Score, Turn
from duologue.core.scenes import Scene
from duologue.run.journal import Journal
from duologue.run.resumed import Resumed
from duologue.run.simulate import Timed, simulate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import Task, World
    from duologue.core.records import Sample


class Counter:
    """Says how many turns there were, after its name; stops after so many."""

    Recipe: type[Record] = Record
    seen = "nothing"

    def __init__(self, name: str, most: int = 99) -> None:
        self.name, self.most = name, most
        self.seed = -1

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        self.seed = seed

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [
            Answer(text=f"{self.name}{len(sample.history)}") if len(sample.history) < self.most else Answer()
            for sample in samples
        ]


class Declaring(Counter):
    """Says that it brings no external data along."""

    external: tuple[str, ...] = ()


class CountingTask:
    """As much of a task as a simulation asks for."""

    info = TaskInfo(name="counting", version="1", language="en", answers="text")


def stage_of(*names: str, people: Sequence[Dialogue] = (), over: int = 99) -> Stage:
    """Return a stage that scores dialogues by their mean length."""
    scenes = [Scene(id=name, max_turns=6, first="system", over=lambda turns: len(turns) >= over) for name in names]
    return Stage(scenes, Counter("u"), people, ["a note"], mean_length)


def mean_length(dialogues: Sequence[Dialogue]) -> Report:
    length = sum(len(one.turns) for one in dialogues) / len(dialogues)
    score = Score(name="length", value=length, percent=False)
    return Report(
        task="counting",
        variant="conversation",
        n=len(dialogues),
        scores=(score,),
        rank_by="length",
        problems=(Problem(rule="r", message="m"),),
    )


@pytest.fixture
def task() -> Task:
    return CountingTask()  # type: ignore[return-value]  # no files are read here


def test_every_scene_is_played_and_judged_beside_people(task: Task) -> None:
    people = [Dialogue(id="a", turns=(Turn(speaker="system", text="hello"),))]
    system = Counter("s")
    steps: list[tuple[int, int, str]] = []
    found = simulate(
        task, system, stage_of("a", "b", people=people), name="me", seed=7, progress=lambda *step: steps.append(step)
    )
    assert [one.id for one in found.dialogues] == ["a", "b"]
    assert [turn.text for turn in found.dialogues[0].turns] == ["s0", "u1", "s2", "u3", "s4", "u5"]
    assert found.report.scores[0].value == 6
    assert (found.report.system, found.report.seen) == ("me", "nothing")
    assert found.people is not None
    assert (found.people.system, found.people.scores[0].value) == ("people", 1)
    assert (len(found.report.problems), len(found.people.problems)) == (1, 0)
    assert found.ended_by == {"max_turns": 2}
    assert found.notes == ("a note",)
    assert steps == [(1, 2, "talking"), (2, 2, "talking")]
    assert system.seed == 7


def test_it_is_counted_how_conversations_ended(task: Task) -> None:
    assert simulate(task, Counter("s", most=3), stage_of("a"), name="x", seed=1).ended_by == {"system": 1}
    found = simulate(task, Counter("s"), stage_of("a", "b", over=2), name="x", seed=1)
    assert found.ended_by == {"over": 2}
    assert found.people is None


def test_each_reply_is_timed(task: Task) -> None:
    found = simulate(task, Counter("s"), stage_of("a", "b"), name="x", seed=1)
    assert found.latency is not None
    assert found.latency.replies == 6
    assert 0 <= found.latency.p50 <= found.latency.p95 <= found.latency.longest


def test_replies_kept_of_a_stopped_run_are_said_again_and_not_timed(task: Task, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with Journal(path, Identity()) as journal:
        first = simulate(task, Resumed(Counter("s"), journal), stage_of("a", "b"), name="x", seed=1)
        again = simulate(task, Resumed(Counter("other"), journal), stage_of("a", "b"), name="x", seed=1)
        longer = simulate(task, Resumed(Counter("s"), journal), stage_of("a", "c"), name="x", seed=1)
    assert again.dialogues == first.dialogues
    assert again.latency is None
    assert longer.latency is not None
    assert longer.latency.replies == 3  # those of the new conversation
    assert not path.exists()


def test_quantiles_are_those_of_the_nearest_rank() -> None:
    timed = Timed(Counter("s"))
    with pytest.raises(UsageError, match="no reply was asked for"):
        timed.latency()
    timed.milliseconds.extend(float(number) for number in range(100, 0, -1))
    assert timed.latency() == (100, 50.0, 95.0, 100.0)


def test_nothing_to_play_and_a_system_that_says_nothing_are_refused(task: Task) -> None:
    with pytest.raises(UsageError, match="no goal to play"):
        simulate(task, Counter("s"), stage_of(), name="x", seed=1)
    with pytest.raises(UsageError, match="'dumb' said nothing"):
        simulate(task, Counter("s", most=0), stage_of("a"), name="dumb", seed=1)


def test_usage_and_prompts_of_both_partners_are_in_the_report(task: Task, tmp_path: Path) -> None:
    stage = stage_of("a", "b")._replace(user=Metered())
    found = simulate(task, Metered(), stage, name="x", seed=1)
    assert found.report.meta["usage"] == {"system": {"characters": 18}, "user": {"characters": 18}}
    assert found.report.signature.prompts == {"system": Metered.prompt_mark, "user": Metered.prompt_mark}
    with Journal(tmp_path / "journal", Identity()) as journal:
        for _ in range(2):
            stage = stage_of("a")
            again = simulate(task, Resumed(Metered(), journal), stage, name="x", seed=1)
            assert again.report.meta["usage"] == {"system": {"characters": 7}}
    assert "usage" not in simulate(task, Counter("s"), stage_of("a"), name="x", seed=1).report.meta


def test_the_report_has_the_external_data_that_are_declared(task: Task) -> None:
    assert simulate(task, Counter("s"), stage_of("a"), name="x", seed=1).report.external is None
    known = simulate(task, Counter("s"), stage_of("a"), name="x", seed=1, external=["sgd"])
    assert known.report.external == ("sgd",)
    assert simulate(task, Declaring("s"), stage_of("a"), name="x", seed=1).report.external == ()


@pytest.mark.parametrize(("calls", "quantiles"), [(1, (1, 1, 1)), (10, (5, 10, 10)), (100, (50, 95, 100))])
def test_latencies_are_told_by_nearest_rank(calls: int, quantiles: tuple[int, int, int]) -> None:
    timed = Timed(Counter("s"))
    timed.milliseconds += map(float, range(calls, 0, -1))
    assert timed.latency() == (calls, *quantiles)
