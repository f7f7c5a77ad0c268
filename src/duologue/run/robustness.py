"""How a system bears noise: the same questions, clean and with more and more of the task's own noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.errors import UsageError
from duologue.core.protocols import Distortable
from duologue.run.predict import answer_all, in_world

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.protocols import Progress, System, Task, World
    from duologue.core.records import Example, Report, Scoring

STRENGTH = "strength"
"""Under which `Report.meta` has the strength of the noise."""


def robustness(
    task: Task,
    systems: Sequence[tuple[str, System]],
    examples: Sequence[Example],
    strengths: Sequence[float],
    how: Scoring,
    folder: Path,
    *,
    world: World | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> list[Report]:
    """Return a report for each system, by name, at each strength of noise, in this order.

    The result files stand below `folder` and are what is scored. The noise is laid on what a system sees of the user;
    replies stay as they are, so `examples` should be clean. Noise of one seed is nested: it is the same for all
    systems. Raises `UsageError` for a task without noise, and for no or repeated strengths.
    """
    if not isinstance(task, Distortable):
        raise UsageError(f"task '{task.brief.name}' has no noise to bear")
    if not strengths or len(set(strengths)) < len(strengths):
        raise UsageError("give at least one strength of noise, and each once, such as 0,0.5,1")
    placed = in_world(examples, world)
    noisy = {one: task.distorted(placed, seed=seed, strength=one) if one else placed for one in strengths}
    reports = []
    for number, (name, system) in enumerate(systems):
        system.prepare(task.brief, seed, {} if world is None else {world.name: world})
        for strength, shown in noisy.items():
            path = folder / str(number) / f"{strength:g}" / "result.json"
            task.write(answer_all(task, system, shown, progress=progress), path)
            report = task.score(examples, task.read(path), how)
            meta = {**report.meta, STRENGTH: strength, "test_set": f"noise {strength:g}"}
            reports.append(msgspec.structs.replace(report, system=name, seen=system.seen, meta=meta))
    return reports
