"""`duologue robustness`: how systems bear noise."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duologue.cli.forecast import tell_forecast
from duologue.core.disk import write_text
from duologue.core.errors import UsageError
from duologue.core.own_files import own_files
from duologue.core.plugins import load_task
from duologue.run import evaluate
from duologue.run.contamination import warnings_of_training
from duologue.run.resumed import kept_answers, resumed
from duologue.run.robustness import NOISE, STRENGTH, forecast_robustness, noise_remarks, planned_files
from duologue.run.robustness import robustness as measure
from duologue.run.systems import is_model, open_system
from duologue.run.usage import USAGE, usage_lines
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.protocols import System, Task


@click.command()
@options.task_argument
@click.option(
    "--system",
    "names",
    multiple=True,
    required=True,
    help="A system's name or the folder of a model; may be repeated.",
    shell_complete=options.complete_system,
)
@click.option(
    "--gold", type=options.PATH, multiple=True, required=True, help="The clean data with its replies; may be repeated."
)
@click.option(
    "--input",
    "data",
    type=options.PATH,
    default=None,
    help="The data file, where --gold has answers alone (restaurant's test sets).",
)
@options.kb_option("mobilecs/dialogue, restaurant, spoken")
@click.option(
    "--strengths", default="0,0.5,1,2", show_default=True, help="Strengths of the noise: 0 is clean, 1 the task's own."
)
@options.kind_option
@options.samples_option
@options.unseen_option
@click.option(
    "--out",
    type=options.OUT_CURVES,
    required=True,
    help="The HTML page to write; FILE.reports beside it keeps results and reports.",
)
@click.option(
    "--dry-run", is_flag=True, help="Say what systems that are paid by the call would ask, and ask and write nothing."
)
@options.seed_option
@options.recipe_option
@options.set_option
@options.json_option
@options.quiet_option
def robustness(
    *,
    task: str,
    names: tuple[str, ...],
    gold: tuple[Path, ...],
    data: Path | None,
    kb: Path | None,
    strengths: str,
    kinds: tuple[str, ...],
    samples: str | None,
    require_unseen: bool,
    out: Path,
    dry_run: bool,
    seed: int,
    recipe: Path | None,
    overrides: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Score systems of TASK on clean data and under noise of several strengths; draw the curves.

    The truth file should be clean (KdConv, for spoken): the noise is laid on the user's turns that a system sees, the
    replies that it is scored against stay as they are (mobilecs/extraction: labels follow their words). What each kind
    of noise was fitted to is said beside the figures. Every result file is kept with its report, so that each number
    can be computed again: `duologue verify FILE.report.json --in FOLDER-OF-THE-TRUTH`. A model that saw the truth in
    training is warned of, and refused with --require-unseen before it answers.

    A stopped run goes on where it was. Files in FILE.reports that no such run wrote are kept: the folder is refused.

    \b
    Examples:
      duologue robustness spoken --system model --gold dev.json.gz --kg kg.json.gz --out noise.html
      duologue robustness spoken --system a --system b --gold dev.json --kg kg.json --strengths 0,1 --out noise.html
      duologue robustness restaurant --system solver --gold a.answers.json --input a.json --kind cuts=2 --out noise.html
    """
    loaded = load_task(task)
    how = evaluate.scoring(loaded, None, samples=samples)
    world = options.world_of(loaded, kb)
    remarks = noise_remarks(loaded, kinds)
    truth = evaluate.Truth.of(loaded, gold, data)
    kept = out.with_suffix(".reports")
    systems = _opened(loaded, names, recipe, overrides)
    journals = [kept / f".{number}.journal" for number in range(1, len(names) + 1)]
    if dry_run:
        left = {
            label: kept_answers(loaded, name, system, seed, journal, kb=kb)
            for name, (label, system), journal in zip(names, systems, journals, strict=True)
        }
        planned = forecast_robustness(
            loaded, systems, truth, _numbers(strengths), kinds=kinds, world=world, seed=seed, left=left
        )
        tell_forecast(planned, as_json=as_json)
        return
    ours = planned_files(loaded, [label for label, _ in systems], truth, _numbers(strengths), kept)
    with own_files(kept, ours), ExitStack() as stack:
        asked = [
            (label, stack.enter_context(resumed(loaded, name, system, seed, journal, kb=kb, say=console.remark)))
            for name, (label, system), journal in zip(names, systems, journals, strict=True)
        ]
        progress = stack.enter_context(options.progress_bar(quiet=quiet))
        reports = measure(
            loaded,
            asked,
            truth,
            _numbers(strengths),
            how,
            kept,
            kinds=kinds,
            models={label: Path(name) for name, (label, _) in zip(names, systems, strict=True) if is_model(name)},
            world=world,
            seed=seed,
            unseen=require_unseen,
            progress=progress,
        )
    from duologue.report.curves import curve_page

    command = shlex.join(["duologue", *sys.argv[1:]])
    write_text(out, curve_page(reports, title=f"{task}: noise", commands=[command], remarks=remarks, seed=seed))
    rows = [
        {
            "system": report.system,
            STRENGTH: report.meta[STRENGTH],
            NOISE: report.meta[NOISE],
            "scores": {one.name: one.value for one in report.scores},
            **({USAGE: report.meta[USAGE]} if USAGE in report.meta else {}),
        }
        for report in reports
    ]
    for line in dict.fromkeys(warnings_of_training(reports)):
        console.line(line, err=True)
    if as_json:
        console.as_json(rows)
        return
    for report in reports:
        value = next(one.value for one in report.scores if one.name == report.rank_by)
        console.line(f"{report.system}  noise {report.meta[STRENGTH]:g}  {report.rank_by} {value:.4f}")
    for remark in remarks:
        console.line(f"noise  {remark}")
    for label, system in asked:
        for line in usage_lines(system):
            console.line(f"{label}  {line}")
    console.line(f"figure in {out}, result files and their reports in {kept} (for verify, compare and board)")


def _opened(
    loaded: Task, names: Sequence[str], recipe: Path | None, overrides: Sequence[str]
) -> list[tuple[str, System]]:
    """Return the systems by what they are called. Raises `UsageError` for one name twice, and a recipe for several."""
    if (recipe or overrides) and sum(not is_model(name) for name in names) != 1:
        raise UsageError("--recipe and --set are for one registered system; give one beside the folders of models")
    systems = [
        (Path(name).name or name, open_system(loaded, name, *(() if is_model(name) else (recipe, overrides))))
        for name in names
    ]
    if len({name for name, _ in systems}) < len(systems):
        raise UsageError("two systems have one name; give folders with different names")
    return systems


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise UsageError(f"--strengths {text}: expected numbers with commas between them, such as 0,0.5,1") from error
