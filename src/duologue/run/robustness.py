"""Robustness of systems: scores on clean samples and at rising strengths of the task's noise."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core.capabilities import lacking_capability
from duologue.core.errors import UsageError
from duologue.core.protocols import NoiseModel
from duologue.run.evaluate import score_against
from duologue.run.predict import answer_all, in_world
from duologue.run.prompt_marks import SYSTEM, marks_of, with_prompts
from duologue.run.saved import save_report
from duologue.run.usage import USAGE, accounts_of, usage_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.protocols import Progress, System, Task, World
    from duologue.core.records import Report, Scoring
    from duologue.run.evaluate import Truth

STRENGTH = "strength"
"""Under which `Report.meta` has the strength of the noise."""
_PLAIN = re.compile(r"[^\w.-]")
"""What a system's name may hold that a file's name should not."""


def robustness(
    task: Task,
    systems: Sequence[tuple[str, System]],
    truth: Truth,
    strengths: Sequence[float],
    how: Scoring,
    folder: Path,
    *,
    world: World | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> list[Report]:
    """Return a report for each system, by name, at each strength of noise, in this order.

    The result files in `folder` are what is scored; beside each stands its saved report, which `duologue verify`
    computes again. The noise is laid on what a system sees of the user; replies stay as they are, so the truth should
    be clean. Noise of one seed is nested: it is the same for all systems. The usage of a system that tells it is in
    each report (an answer to what the noise left as it was is on the account of every strength). Raises `UsageError`
    for a task without noise, and for no or repeated strengths.
    """
    if not isinstance(task, NoiseModel):
        raise lacking_capability(task.info.name, "NoiseModel")
    if not strengths or len(set(strengths)) < len(strengths):
        raise UsageError("give at least one strength of noise, and each once, such as 0,0.5,1")
    placed = in_world(truth.examples, world)
    noisy = {one: task.noisy_examples(placed, seed=seed, strength=one) if one else placed for one in strengths}
    reports = []
    for number, (name, system) in enumerate(systems, start=1):
        system.prepare(task.info, seed, {} if world is None else {world.name: world})
        for strength, shown in noisy.items():
            path = folder / f"{number}-{_PLAIN.sub('_', name)}" / f"noise-{strength:g}" / "result.json"
            begun, accounts = len(accounts_of(system)), dict[int, dict[str, Any]]()
            task.write(shown, answer_all(task, system, shown, progress=progress, accounts=accounts), path)
            usage = usage_of(system, [*accounts.values(), *accounts_of(system)[begun:]])
            report = with_prompts(
                score_against(task, truth, path, how, test_set=f"noise {strength:g}"), marks_of(system=system)
            )
            meta = {**report.meta, STRENGTH: strength, "seed": seed, **({USAGE: {SYSTEM: usage}} if usage else {})}
            reports.append(msgspec.structs.replace(report, system=name, seen=system.seen, meta=meta))
            save_report(reports[-1], path.with_name("result.report.json"))
    return reports
