"""`duologue report`: saved scores as one page."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from duologue.cli import options
from duologue.report import write_page
from duologue.run.saved import formulas_of, read_report

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("reports", type=options.PATH, nargs=-1, required=True, metavar="FILE.report.json...")
@click.option("--out", type=options.PATH, required=True, help="The HTML page to write.")
@click.option("--title", default="Duologue", show_default=True, help="Heading of the page.")
def report(*, reports: tuple[Path, ...], out: Path, title: str) -> None:
    """Join reports that `duologue score --out` saved into one HTML page.

    The page opens without a network, in English and Chinese: scores with intervals, scores per answer type,
    paired tests between systems, signatures, and what data each system saw.

    \b
    Example:
      duologue report a.report.json b.report.json --out report.html
    """
    command = "duologue " + shlex.join(sys.argv[1:])
    write_page(out, [read_report(path) for path in reports], title=title, commands=[command], formulas=formulas_of)
    click.echo(f"{len(reports)} reports in {out}")
