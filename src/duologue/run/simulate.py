"""Play whole conversations between a system and a task's simulated user, and judge them."""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.errors import UsageError
from duologue.core.play import play
from duologue.core.seeds import seed_of
from duologue.run.contamination import declared
from duologue.run.prompt_marks import SYSTEM, USER, marks_of, with_prompts
from duologue.run.usage import USAGE, accounts_of, unread_answers, usage_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.optional_protocols import Stage
    from duologue.core.protocols import Progress, System, Task, TaskInfo, World
    from duologue.core.records import Answer, Dialogue, Record, Report, Sample


class Latency(NamedTuple):
    """How long a system took for a reply, in milliseconds of wall time."""

    replies: int
    p50: float
    p95: float
    longest: float


class Simulation(NamedTuple):
    """Conversations that were played, and what they are worth."""

    dialogues: list[Dialogue]
    report: Report
    people: Report | None
    """The same figures of what people made of the same scenes; `None` where that is not known."""
    latency: Latency | None
    """Of the system's replies one by one; no part of what a seed decides. `None`: all were kept of a stopped run."""
    ended_by: dict[str, int]
    """How many conversations ended in which way: `over`, `max_turns`, `system`, `user`."""
    notes: tuple[str, ...]
    """What a reader of the figures should know."""


class Timed:
    """A system whose replies are timed; it answers as the system itself does."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.Recipe: type[Record] = system.Recipe
        self.seen = system.seen
        self.milliseconds: list[float] = []
        """Wall time of each call of `answer`."""

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Prepare the system; not timed."""
        self._system.prepare(info, seed, worlds)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Answer and note how long it took."""
        begun, kept = time.perf_counter(), self._kept()
        answers = self._system.answer(samples)
        if self._kept() == kept:
            self.milliseconds.append(1000 * (time.perf_counter() - begun))
        return answers

    def _kept(self) -> int:
        """Return how many answers came from what was kept of a stopped run: these are not timed."""
        return getattr(self._system, "replayed", 0)

    def latency(self) -> Latency | None:
        """Return the quantiles (nearest rank) of all calls so far; `None` when all replies were kept ones.

        Raises `UsageError` when there was no call.
        """
        if not self.milliseconds and self._kept():
            return None
        if not self.milliseconds:
            raise UsageError("no reply was asked for, so there is none to time; allow at least one turn")
        ordered = sorted(self.milliseconds)
        p50, p95 = (ordered[math.ceil(share * len(ordered)) - 1] for share in (0.5, 0.95))
        return Latency(len(ordered), p50, p95, ordered[-1])


def simulate(
    task: Task,
    system: System,
    stage: Stage,
    *,
    name: str,
    seed: int,
    user: str = "",
    external: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Simulation:
    """Play every scene of `stage` with `system` (by its `name` in the report) and judge the dialogues.

    `external` names the external data that the model of the system declares; what the system brings along is added.

    `user` says who plays the user where it is not the task's own; that stands in the report's `meta` too.

    Equal system, stage and seed give equal dialogues and figures. What the answers of partners that tell it took is in
    the report's `meta`, the prompts that they ask with are in its signature. Raises `UsageError` for a stage without
    scenes and for a system that says nothing at all, `PlugInError` as `play` does.
    """
    if not stage.scenes:
        raise UsageError("there is no goal to play")
    timed = Timed(system)
    for partner in (timed, stage.user):
        partner.prepare(task.info, seed, stage.worlds)
    dialogues = []
    for number, scene in enumerate(stage.scenes, start=1):
        dialogues.append(play(timed, stage.user, scene, chance_of(seed, scene.id)))
        if progress is not None:
            progress(number, len(stage.scenes), "talking")
    if not any(turn.speaker == "system" for dialogue in dialogues for turn in dialogue.turns):
        raise UsageError(f"'{name}' said nothing; whole conversations need a system that answers with text")
    report = with_prompts(stage.judge(dialogues), marks_of(system=system, user=stage.user))
    usage = {part: usage_of(partner, accounts_of(partner)) for part, partner in ((SYSTEM, system), (USER, stage.user))}
    meta: dict[str, Any] = (
        {USAGE: {part: taken for part, taken in usage.items() if taken}} if any(usage.values()) else {}
    )
    meta |= {USER: user} if user else {}
    return Simulation(
        dialogues=dialogues,
        report=msgspec.structs.replace(
            report,
            system=name,
            seen=system.seen,
            external=None if (known := declared(system, external)) is None else tuple(known),
            meta={**report.meta, **meta},
            problems=(*unread_answers(usage), *report.problems),
        ),
        people=_of_people(stage),
        latency=timed.latency(),
        ended_by=dict(sorted(Counter(str(one.meta["ended_by"]) for one in dialogues).items())),
        notes=tuple(stage.notes),
    )


def staged_with(stage: Stage, user: System, task: Task) -> Stage:
    """Return a stage with another user. Raises `UsageError` where conversations are judged by their own user alone."""
    if stage.with_user is None:
        raise UsageError(f"conversations of {task.info.name} are judged by the plan of its own user; leave out --user")
    return stage.with_user(user)


def _of_people(stage: Stage) -> Report | None:
    """Return the figures of people, without the problems: these are for who mends the system."""
    if not stage.human_dialogues:
        return None
    return msgspec.structs.replace(stage.judge(stage.human_dialogues), system="people", problems=())


def chance_of(seed: int, name: str) -> random.Random:
    """Return the stream of the conversation in the scene of that name."""
    return random.Random(seed_of(f"{seed}\n{name}"))
