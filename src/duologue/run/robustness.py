"""Robustness of systems: scores on clean samples and at rising strengths of the task's noise."""

from __future__ import annotations

import re
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.capabilities import lacking_capability
from duologue.core.disk import temporary_folder
from duologue.core.errors import UsageError
from duologue.core.noise import noise_strengths, scaled
from duologue.core.optional_protocols import NoiseModel
from duologue.core.plugins import read_card
from duologue.core.records import Exposure
from duologue.core.system_answers import faults_of
from duologue.run.contamination import NO_SKETCH, declared, demand_shown, sketch_of, told
from duologue.run.evaluate import Truth, score_against
from duologue.run.forecast import forecast_examples, together
from duologue.run.predict import answer_all, demand_questions, demand_unread, in_world
from duologue.run.prompt_marks import SYSTEM, marks_of, with_prompts
from duologue.run.saved import save_report
from duologue.run.usage import USAGE, accounts_of, unread_answers, usage_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import Progress, System, Task, World
    from duologue.core.records import Answer, Example, Report, Scoring
    from duologue.run.forecast import RunForecast

STRENGTH = "strength"
"""Under which `Report.meta` has the strength of the noise."""
NOISE = "noise"
"""Under which it has the kinds of noise that were on, with the strength of each where `STRENGTH` is 1."""
_REPORT = "result.report.json"
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
    kinds: Sequence[str] = (),
    models: Mapping[str, Path] = MappingProxyType({}),
    world: World | None = None,
    seed: int = 1,
    unseen: bool = False,
    progress: Progress | None = None,
) -> list[Report]:
    """Return a report for each system, by name, at each strength of noise, in this order.

    `models` are the folders of those that were trained, by the same names: a report tells what of the clean truth its
    system saw in training, with a warning where that is more than chance, and which external data it declares.
    `kinds` are the noises that are on, as `noise_strengths` takes them; each strength multiplies them. The result
    files in `folder` are what is scored; beside each stands its saved report, which `duologue verify` computes again.
    The noise is laid on what a system sees of the user; replies stay as they are, so the truth should be clean. Where
    answers are places in the text (`labels_move`), the noisy truth is written to `folder/truth` and scored against.
    Noise of one seed is the same for all systems. The usage of a system that tells it is in
    each report (an answer to what the noise left as it was is on the account of every strength). Raises `UsageError`
    for a task without noise, for no or repeated strengths, and for a system that takes examples from the truth; with
    `unseen` `SeenError`, before anything is answered, where it is not shown of a system that it did not see the truth
    in training.
    """
    backgrounds = {name: _background(name, system, truth, models.get(name)) for name, system in systems}
    for name, background in backgrounds.items() if unseen else ():
        demand_shown(background["exposure"], name, "it is not declared which external data it learned from")
    shown = _under_noise(task, systems, truth, strengths, kinds, folder, world, seed)
    usual = shown.usual
    reports = []
    for number, (name, system) in enumerate(systems, start=1):
        system.prepare(task.info, seed, {} if world is None else {world.name: world})
        background = backgrounds[name]
        for strength, noisy in shown.noisy.items():
            path = _result_file(folder, number, name, strength)
            begun, accounts = len(accounts_of(system)), dict[int, dict[str, Any]]()
            answers = answer_all(task, system, noisy, progress=progress, accounts=accounts)
            with faults_of(system):
                task.write(noisy, answers, path)
            usage = usage_of(system, [*accounts.values(), *accounts_of(system)[begun:]])
            found = score_against(task, shown.truths[strength], path, how, test_set=f"noise {strength:g}")
            report = with_prompts(found, marks_of(system=system))
            meta = {**report.meta, STRENGTH: strength, NOISE: usual, "seed": seed}
            taken = {SYSTEM: usage} if usage else {}
            meta |= {USAGE: taken} if taken else {}
            problems = (*unread_answers(taken), *report.problems, *background["problems"])
            told_of = {**background, "problems": problems}
            reports.append(msgspec.structs.replace(report, system=name, seen=system.seen, meta=meta, **told_of))
            save_report(reports[-1], path.with_name(_REPORT))
    return reports


def planned_files(
    task: Task, names: Sequence[str], truth: Truth, strengths: Sequence[float], folder: Path
) -> list[Path]:
    """Return the files that `robustness` would write into a folder, for systems of these names."""
    results = [_result_file(folder, number, name, one) for number, name in enumerate(names, 1) for one in strengths]
    moved = filter(None, strengths) if isinstance(task, NoiseModel) and task.labels_move else ()
    truths = [path for one in moved for path in _truth_files(truth, folder, one)]
    return [*results, *(path.with_name(_REPORT) for path in results), *truths]


def _result_file(folder: Path, number: int, name: str, strength: float) -> Path:
    return folder / f"{number}-{_PLAIN.sub('_', name)}" / f"noise-{strength:g}" / "result.json"


def _truth_files(truth: Truth, folder: Path, strength: float) -> list[Path]:
    below = folder / "truth" / f"noise-{strength:g}"
    return [below / f"{number}-{Path(one['path']).name}" for number, one in enumerate(truth.files["gold"], start=1)]


def forecast_robustness(
    task: Task,
    systems: Sequence[tuple[str, System]],
    truth: Truth,
    strengths: Sequence[float],
    *,
    kinds: Sequence[str] = (),
    world: World | None = None,
    seed: int = 1,
    left: Mapping[str, Mapping[int | str, Answer]] = MappingProxyType({}),
) -> RunForecast:
    """Return what all systems that are paid by the call would take; nothing is asked, and no file stays.

    `left` has by system the answers that a stopped run kept (`resumed.kept_answers`), which are not asked again. Raises
    `UsageError` where no system is paid by the call, and as `robustness` does.
    """
    paid = [one for one in systems if hasattr(one[1], "forecast")] or systems[:1]
    with temporary_folder() as folder:
        shown = _under_noise(task, systems, truth, strengths, kinds, folder, world, seed)
        return together(
            [
                forecast_examples(task, system, noisy, name=name, world=world, seed=seed, left=left.get(name, {}))
                for name, system in paid
                for noisy in shown.noisy.values()
            ]
        )


class _UnderNoise(NamedTuple):
    """What systems see and are scored against, by the strength of the noise."""

    usual: dict[str, float]
    truths: dict[float, Truth]
    noisy: dict[float, list[Example]]


def _under_noise(
    task: Task,
    systems: Sequence[tuple[str, System]],
    truth: Truth,
    strengths: Sequence[float],
    kinds: Sequence[str],
    folder: Path,
    world: World | None,
    seed: int,
) -> _UnderNoise:
    if not isinstance(task, NoiseModel):
        raise lacking_capability(task.info.name, "NoiseModel")
    if not strengths or len({f"{abs(one):g}" for one in strengths}) < len(strengths):  # as files are named
        raise UsageError("give at least one strength of noise, and each once to six digits, such as 0,0.5,1")
    if task.labels_move and not truth.files.get("gold"):
        raise UsageError(f"the labels of {task.info.name} move with the text; give truth that is in files")
    for file in (truth.files["input"] or truth.files["gold"])[:1]:
        demand_questions(truth.examples, Path(file["path"]), "give the data that it is the truth of with --input")
    for _, system in systems:
        for file in (file for group in truth.files.values() for file in group):
            demand_unread(system, Path(file["path"]))
    placed = in_world(truth.examples, world)
    usual = dict(noise_strengths(task, kinds))
    truths = dict.fromkeys(strengths, truth)
    noisy = dict.fromkeys(strengths, placed)
    for one in filter(None, strengths):
        laid = scaled(usual, one)
        if task.labels_move:
            truths[one] = _noisy_truth(task, truth, _truth_files(truth, folder, one), seed, laid)
            noisy[one] = in_world(truths[one].examples, world)
        else:
            noisy[one] = task.noisy_examples(placed, seed=seed, strengths=laid)
    return _UnderNoise(usual, truths, noisy)


def _background(name: str, system: System, truth: Truth, model: Path | None) -> dict[str, Any]:
    """Return what reports of a system say of its training: what it saw of the truth, and declared external data."""
    external = declared(system) if model is None else read_card(model).external
    exposure: Exposure | None
    if model is None:
        exposure = Exposure() if external == [] else None  # it learns nothing, or nobody knows what it knows
    else:
        sketch = sketch_of(model)
        files = truth.names_and_hashes()
        exposure = Exposure(unknown=NO_SKETCH) if sketch is None else sketch.exposure(truth.examples, files)
    warning = None if exposure is None else told(exposure, name)
    return {
        "exposure": exposure,
        "external": None if external is None else tuple(external),
        "problems": () if warning is None else (warning,),
    }


def noise_remarks(task: Task, kinds: Sequence[str] = ()) -> list[str]:
    """Return what is to be said beside figures under noise: to what each kind that is on was fitted."""
    if not isinstance(task, NoiseModel):
        raise lacking_capability(task.info.name, "NoiseModel")
    named: dict[str, list[str]] = {}
    for kind, strength in noise_strengths(task, kinds).items():
        named.setdefault(task.noises[kind], []).append(f"{kind} {strength:g}")
    return [f"{', '.join(found)}: {said}" for said, found in named.items()]


def _noisy_truth(task: Task, truth: Truth, paths: list[Path], seed: int, strengths: Mapping[str, float]) -> Truth:
    """Return the truth with noise, from the files `paths` that it is written to."""
    assert isinstance(task, NoiseModel)
    for one, path in zip(truth.files["gold"], paths, strict=True):
        task.write_noisy(Path(one["path"]), path, regime=task.regimes[0], seed=seed, strengths=strengths)
    return Truth.of(task, paths)
