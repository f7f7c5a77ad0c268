"""`duologue compare`: whether two result files really differ."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
from rich.console import Console

from duologue.cli import options
from duologue.core.errors import UsageError
from duologue.report import compare as compare_reports
from duologue.report import render_comparisons
from duologue.run.saved import read_report

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("reports", type=options.PATH, nargs=-1, required=True, metavar="A.report.json B.report.json")
@click.option(
    "--resamples", type=click.IntRange(min=100), default=10_000, show_default=True, help="Resamples per test."
)
@options.seed_option
@options.json_option
def compare(*, reports: tuple[Path, ...], resamples: int, seed: int, as_json: bool) -> None:
    """Test whether two systems differ on the same items: paired bootstrap and paired randomisation.

    Takes two reports that `duologue score --out` saved. p-values are corrected by Holm over the scores.

    \b
    Example:
      duologue score restaurant --gold T.json --pred a.answers.json --out a.report.json
      duologue score restaurant --gold T.json --pred b.answers.json --out b.report.json
      duologue compare a.report.json b.report.json
    """
    if len(reports) != 2:
        raise UsageError(f"two reports are compared, {len(reports)} given; `duologue report` tests any number")
    first, second = (read_report(path) for path in reports)
    found = compare_reports(first, second, seed=seed, resamples=resamples)
    if not as_json:
        Console(highlight=False).print(render_comparisons(found))
        return
    rows = [
        {
            "score": one.tested.name,
            "a": one.a,
            "b": one.b,
            "n": one.n,
            "difference": one.tested.difference,
            "low": one.tested.low,
            "high": one.tested.high,
            "p_bootstrap": one.tested.p_bootstrap,
            "p_randomisation": one.tested.p_randomisation,
            "p_holm": one.p_holm,
            "better": one.better,
        }
        for one in found
    ]
    click.echo(json.dumps({"comparisons": rows}, ensure_ascii=False))
