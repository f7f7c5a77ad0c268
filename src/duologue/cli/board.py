"""`duologue board`: a folder of result files as one ranking."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING

import click

from duologue.cli import options
from duologue.core.disk import write_text
from duologue.core.errors import DuologueError
from duologue.core.plugins import load_task
from duologue.report import league_page, league_to_json, rank_all, render_league
from duologue.run import evaluate
from duologue.run.folder import score_folder
from duologue.run.saved import formulas_of

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.task_argument
@click.argument("folder", type=options.PATH)
@options.gold_option
@options.input_option
@options.variant_option
@options.choice_option
@options.samples_option
@options.partial_option
@click.option("--resamples", type=click.IntRange(min=100), default=10_000, show_default=True, help="Resamples, shared.")
@click.option("--out", type=options.PATH, default=None, help="Write this HTML page, and the same as JSON beside it.")
@click.option("--title", default="Duologue", show_default=True, help="Heading of the page.")
@options.seed_option
@options.json_option
@options.quiet_option
def board(
    *,
    task: str,
    folder: Path,
    gold: tuple[Path, ...],
    data: Path | None,
    variant: str | None,
    chosen: tuple[str, ...],
    samples: str | None,
    partial: bool,
    resamples: int,
    out: Path | None,
    title: str,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Rank all result files of TASK in FOLDER: intervals, tiers of systems that cannot be told apart.

    Every file is read as it would be sent in; files that are refused are listed with their first problem. Shown
    is also the smallest difference that the test set could find.

    \b
    Examples:
      duologue board restaurant results --gold TRUTH.json
      duologue board restaurant results --gold TRUTH.json --out board.html
    """
    loaded = load_task(task)
    how = evaluate.scoring(loaded, variant, options=chosen, samples=samples, partial=partial)
    with options.progress_bar(quiet=quiet) as progress:
        scored = score_folder(loaded, gold, folder, how, data=data, progress=progress)
    if not scored.reports:
        lines = "\n".join(f"  {one.file}: {one.problems} problems, the first: {one.first}" for one in scored.refused)
        raise DuologueError(f"no file in {folder} can be scored:\n{lines}")
    found = rank_all(
        scored.reports,
        formulas=formulas_of,
        seed=seed,
        resamples=resamples,
        refused=[(one.file, one.problems, one.first) for one in scored.refused],
    )
    told = json.dumps(league_to_json(found), ensure_ascii=False)
    if out is not None:
        command = "duologue " + shlex.join(sys.argv[1:])
        write_text(out, league_page(found, title=title, commands=[command], seed=seed))
        write_text(out.with_suffix(".json"), told + "\n")
    if as_json:
        click.echo(told)
        return
    from rich.console import Console

    Console(highlight=False).print(render_league(found))
