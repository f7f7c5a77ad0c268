"""`duologue score`: a result file against the truth."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
import msgspec

from duologue.cli import options
from duologue.core.errors import FormatError
from duologue.core.findings import total
from duologue.core.plugins import load_task
from duologue.report import render, to_json
from duologue.run import evaluate
from duologue.run.saved import save_report

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Report


@click.command()
@options.task_argument
@options.gold_option
@click.option("--pred", type=options.PATH, required=True, help="The result file.")
@options.input_option
@options.variant_option
@options.choice_option
@options.samples_option
@click.option("--by", multiple=True, metavar="CUT", help="Cut the scores by this only; may be repeated.")
@options.partial_option
@click.option("--out", type=options.PATH, default=None, help="Save the whole report as JSON, for compare and report.")
@click.option("--test-set", default=None, help="What reports call the test set (default: told by the file's name).")
@options.json_option
def score(
    *,
    task: str,
    gold: tuple[Path, ...],
    pred: Path,
    data: Path | None,
    variant: str | None,
    chosen: tuple[str, ...],
    samples: str | None,
    by: tuple[str, ...],
    partial: bool,
    out: Path | None,
    test_set: str | None,
    as_json: bool,
) -> None:
    """Score a result file of TASK against the truth, with 95 % intervals and a signature.

    `--variant official` prints exactly the lines of the official program, quirks included. Several truth files
    are several references. A file that has its references itself (S_REF and S_HYP) needs no truth.

    \b
    Examples:
      duologue score restaurant --gold TRUTH.json --pred FILE.answers.json
      duologue score restaurant --gold TRUTH.json --pred FILE.answers.json --variant official
      duologue score restaurant --gold TRUTH.json --pred FILE.answers.json --input FILE.json --out FILE.report.json
    """
    loaded = load_task(task)
    how = evaluate.scoring(loaded, variant, options=chosen, samples=samples, by=by, partial=partial)
    try:
        report = evaluate.score(loaded, gold, pred, how, data=data, test_set=test_set)
    except FormatError as error:
        _refused(error, task, how.variant, as_json=as_json)
        raise click.exceptions.Exit(1) from error
    if out is not None:
        save_report(report, out)
    if as_json:
        click.echo(json.dumps(to_json(report), ensure_ascii=False))
    elif report.transcript:
        for line in report.transcript:
            click.echo(line)
        click.echo(report.signature, err=True)
    else:
        _print(report)


def _refused(error: FormatError, task: str, variant: str, *, as_json: bool) -> None:
    if as_json:
        told = {"total": total(error.problems), "problems": [msgspec.to_builtins(one) for one in error.problems]}
        click.echo(json.dumps({"task": task, "variant": variant, **told}, ensure_ascii=False))
        return
    for line in error.transcript:
        click.echo(line)
    click.echo(f"{error}\nNothing was scored.", err=True)
    if variant != "official":
        click.echo("Mend the file, or score what is there with --partial.", err=True)


def _print(report: Report) -> None:
    from rich.console import Console

    Console(highlight=False).print(render(report))
