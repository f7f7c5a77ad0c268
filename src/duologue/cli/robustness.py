"""`duologue robustness`: how systems bear noise."""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
from pathlib import Path

import click

from duologue.cli import options
from duologue.cli.predict import load_any
from duologue.core.disk import write_text
from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.run import evaluate
from duologue.run.robustness import STRENGTH
from duologue.run.robustness import robustness as measure


@click.command()
@options.task_argument
@click.option(
    "--system", "names", multiple=True, required=True, help="A system's name or the folder of a model; may be repeated."
)
@options.gold_option
@options.kb_option
@click.option(
    "--strengths", default="0,0.5,1,2", show_default=True, help="Strengths of the noise: 0 is clean, 1 the task's own."
)
@options.samples_option
@click.option("--out", type=options.PATH, required=True, help="The HTML page to write.")
@options.seed_option
@options.json_option
@options.quiet_option
def robustness(
    *,
    task: str,
    names: tuple[str, ...],
    gold: tuple[Path, ...],
    kb: Path | None,
    strengths: str,
    samples: str | None,
    out: Path,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Score systems of TASK on clean data and under noise of several strengths; draw the curves.

    The truth file should be clean (KdConv, for spoken): the noise is laid on the user's turns that a system sees, the
    replies that it is scored against stay as they are.

    \b
    Examples:
      duologue robustness spoken --system model --gold dev.json.gz --kg kg.json.gz --out noise.html
      duologue robustness spoken --system a --system b --gold dev.json --kg kg.json --strengths 0,1 --out noise.html
    """
    loaded = load_task(task)
    if not gold:
        raise UsageError("give the clean data with its replies: --gold FILE")
    how = evaluate.scoring(loaded, None, samples=samples)
    world = options.world_of(loaded, kb)
    examples = evaluate.gather(loaded, gold)
    systems = [(Path(name).name or name, load_any(name, None, ())) for name in names]
    if len({name for name, _ in systems}) < len(systems):
        raise UsageError("two systems have one name; give folders with different names")
    with tempfile.TemporaryDirectory() as folder, options.progress_bar(quiet=quiet) as progress:
        reports = measure(
            loaded,
            systems,
            examples,
            _numbers(strengths),
            how,
            Path(folder),
            world=world,
            seed=seed,
            progress=progress,
        )
    from duologue.report.curves import curve_page

    command = shlex.join(["duologue", *sys.argv[1:]])
    write_text(out, curve_page(reports, title=f"{task}: noise", commands=[command], seed=seed))
    rows = [
        {
            "system": report.system,
            STRENGTH: report.meta[STRENGTH],
            "scores": {one.name: one.value for one in report.scores},
        }
        for report in reports
    ]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False))
        return
    for report in reports:
        value = next(one.value for one in report.scores if one.name == report.rank_by)
        click.echo(f"{report.system}  noise {report.meta[STRENGTH]:g}  {report.rank_by} {value:.4f}")
    click.echo(f"figure in {out}")


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise UsageError(f"--strengths {text}: expected numbers with commas between them, such as 0,0.5,1") from error
